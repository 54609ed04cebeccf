#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def stay_price(/,/^$/s|- tariff|* tariff|' kennel.py
