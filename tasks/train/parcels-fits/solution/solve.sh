#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def fits(/,/^$/s|>= room|<= room|' parcels.py
