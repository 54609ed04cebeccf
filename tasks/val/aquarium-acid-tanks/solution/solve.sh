#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def acid_tanks(/,/^$/s|<= floor_ph|< floor_ph|' aquarium.py
