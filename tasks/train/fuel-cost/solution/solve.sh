#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def cost(/,/^$/s|+ self.price|* self.price|' fuel.py
