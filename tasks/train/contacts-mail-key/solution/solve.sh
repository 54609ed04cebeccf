#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def mail_key(/,/^$/s|title()|lower()|' contacts.py
