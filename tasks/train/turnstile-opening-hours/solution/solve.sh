#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def opening_hours(/,/^$/s|range(opens, closes)|range(opens, closes + 1)|' turnstile.py
