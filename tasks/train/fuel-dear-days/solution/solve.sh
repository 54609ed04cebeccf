#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def dear_days(/,/^$/s|< limit|> limit|' fuel.py
