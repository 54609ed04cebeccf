#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def guest_key(/,/^$/s|upper()|lower()|' bookings.py
