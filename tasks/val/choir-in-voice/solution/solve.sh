#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def in_voice(/,/^$/s|upper()|lower()|' choir.py
