#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def tally(/,/^$/s|2|0|' voting.py
