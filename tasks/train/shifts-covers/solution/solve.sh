#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def covers(/,/^$/s|or hour|and hour|' shifts.py
