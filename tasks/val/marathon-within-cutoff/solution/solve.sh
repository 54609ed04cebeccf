#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def within_cutoff(/,/^$/s|>= cutoff|<= cutoff|' marathon.py
