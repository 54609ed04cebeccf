#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def steps(/,/^$/s|range(1, count)|range(1, count + 1)|' recipes.py
