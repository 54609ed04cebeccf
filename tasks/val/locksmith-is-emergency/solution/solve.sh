#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def is_emergency(/,/^$/s|and clock_hour|or clock_hour|' locksmith.py
