#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def top(/,/^$/s|reverse=False|reverse=True|' marks.py
