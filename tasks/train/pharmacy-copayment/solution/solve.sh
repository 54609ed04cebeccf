#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def copayment(/,/^$/s|return 20|return 10|' pharmacy.py
