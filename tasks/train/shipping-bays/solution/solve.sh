#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def bays(/,/^$/s|range(front, back)|range(front, back + 1)|' shipping.py
