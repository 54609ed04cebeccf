#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def is_prescribed(/,/^$/s|not in prescription|in prescription|' pharmacy.py
