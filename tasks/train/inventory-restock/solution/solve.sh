#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def restock(/,/^$/s|-= delivered|+= delivered|' inventory.py
