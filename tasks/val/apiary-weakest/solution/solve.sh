#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def weakest(/,/^$/s|max(hive|min(hive|' apiary.py
