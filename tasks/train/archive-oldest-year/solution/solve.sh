#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def oldest_year(/,/^$/s|max(box|min(box|' archive.py
