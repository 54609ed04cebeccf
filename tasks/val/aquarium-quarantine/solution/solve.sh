#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def quarantine(/,/^$/s|:-1]|1:]|' aquarium.py
