#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def observable(/,/^$/s|or moon|and moon|' telescope.py
