#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def due(/,/^$/s|- LOAN_DAYS|+ LOAN_DAYS|' library.py
