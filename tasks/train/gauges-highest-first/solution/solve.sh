#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def highest_first(/,/^$/s|reverse=False|reverse=True|' gauges.py
