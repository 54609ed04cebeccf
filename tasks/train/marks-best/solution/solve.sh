#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def best(/,/^$/s|sum(marks|max(marks|' marks.py
