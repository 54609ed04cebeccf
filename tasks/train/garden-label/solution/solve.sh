#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def label(/,/^$/s|upper()|title()|' garden.py
