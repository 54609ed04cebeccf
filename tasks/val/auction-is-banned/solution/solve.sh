#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def is_banned(/,/^$/s|in approved|not in approved|' auction.py
