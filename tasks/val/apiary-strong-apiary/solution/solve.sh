#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def strong_apiary(/,/^$/s|any(hive|all(hive|' apiary.py
