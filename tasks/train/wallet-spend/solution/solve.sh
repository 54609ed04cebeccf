#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def spend(/,/^$/s|+= amount|-= amount|' wallet.py
