#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def is_error(/,/^$/s|endswith(|startswith(|' loglines.py
