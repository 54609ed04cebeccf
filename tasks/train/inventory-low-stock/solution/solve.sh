#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def low_stock(/,/^$/s|< item.level|<= item.level|' inventory.py
