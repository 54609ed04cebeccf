#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def seats_left(/,/^$/s|+ sold|- sold|' cinema.py
