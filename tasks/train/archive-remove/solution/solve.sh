#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def remove(/,/^$/s|+= sheets_removed|-= sheets_removed|' archive.py
