#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def tag(/,/^$/s|title()|upper()|' helpdesk.py
