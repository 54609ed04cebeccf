#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def crates_each(/,/^$/s|* pickers|/ pickers|' orchard.py
