#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def charge(/,/^$/s|-= cost|+= cost|' cafe.py
