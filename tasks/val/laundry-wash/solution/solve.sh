#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def wash(/,/^$/s|+= tokens|-= tokens|' laundry.py
