#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def batches(/,/^$/s|ceil(guests|floor(guests|' recipes.py
