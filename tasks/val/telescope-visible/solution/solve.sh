#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def visible(/,/^$/s|< horizon|> horizon|' telescope.py
