#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def first_on_ward(/,/^$/s|-1]|0]|' shifts.py
