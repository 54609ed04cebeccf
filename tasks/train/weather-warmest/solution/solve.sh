#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def warmest(/,/^$/s|min(readings|max(readings|' weather.py
