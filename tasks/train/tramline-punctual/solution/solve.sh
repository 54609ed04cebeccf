#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def punctual(/,/^$/s|< tolerance|<= tolerance|' tramline.py
