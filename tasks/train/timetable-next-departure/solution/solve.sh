#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def next_departure(/,/^$/s|max(ahead|min(ahead|' timetable.py
