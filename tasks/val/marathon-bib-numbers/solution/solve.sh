#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def bib_numbers(/,/^$/s|range(lowest, highest)|range(lowest, highest + 1)|' marathon.py
