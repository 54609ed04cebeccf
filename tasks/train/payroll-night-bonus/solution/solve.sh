#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def night_bonus(/,/^$/s|12|15|' payroll.py
