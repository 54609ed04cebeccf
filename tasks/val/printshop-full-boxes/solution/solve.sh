#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def full_boxes(/,/^$/s|ceil(paper|floor(paper|' printshop.py
