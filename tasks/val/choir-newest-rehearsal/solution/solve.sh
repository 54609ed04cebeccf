#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def newest_rehearsal(/,/^$/s|0]|-1]|' choir.py
