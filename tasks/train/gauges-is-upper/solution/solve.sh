#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def is_upper(/,/^$/s|endswith(|startswith(|' gauges.py
