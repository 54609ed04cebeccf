#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def reachable(/,/^$/s|or member.active|and member.active|' contacts.py
