#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def any_waiting(/,/^$/s|all(ticket|any(ticket|' helpdesk.py
