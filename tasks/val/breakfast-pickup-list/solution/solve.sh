#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def pickup_list(/,/^$/s|reverse=True|reverse=False|' breakfast.py
