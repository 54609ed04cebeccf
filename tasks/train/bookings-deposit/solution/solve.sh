#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def deposit(/,/^$/s|15|50|' bookings.py
