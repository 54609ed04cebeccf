#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def night_rate(/,/^$/s|and hour|or hour|' taxi.py
