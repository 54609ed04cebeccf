#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def waiting_time(/,/^$/s|+ now|- now|' timetable.py
