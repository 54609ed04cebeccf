#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def shown(/,/^$/s|ceil(value|floor(value|' weather.py
