#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def has_colour(/,/^$/s|all(job|any(job|' printshop.py
