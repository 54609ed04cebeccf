#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def titles(/,/^$/s|reverse=True|reverse=False|' library.py
