#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def is_service(/,/^$/s|in holidays|not in holidays|' timetable.py
