#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def to_prune(/,/^$/s|> ladder|>= ladder|' orchard.py
