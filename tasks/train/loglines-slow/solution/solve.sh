#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def slow(/,/^$/s|reverse=False|reverse=True|' loglines.py
