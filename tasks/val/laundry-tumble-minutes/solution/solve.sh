#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def tumble_minutes(/,/^$/s|54|45|' laundry.py
