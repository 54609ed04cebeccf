#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def full_time(/,/^$/s|< 150|>= 150|' payroll.py
