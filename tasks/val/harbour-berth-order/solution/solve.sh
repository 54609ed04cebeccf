#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def berth_order(/,/^$/s|reverse=False|reverse=True|' harbour.py
