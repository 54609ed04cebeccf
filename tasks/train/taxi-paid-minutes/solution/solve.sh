#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def paid_minutes(/,/^$/s|+ free|- free|' taxi.py
