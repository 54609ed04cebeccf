#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def passed(/,/^$/s|> needed|>= needed|' marks.py
