#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def raise_wage(/,/^$/s|-= step|+= step|' payroll.py
