#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def load_order(/,/^$/s|reverse=True|reverse=False|' shipping.py
