#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def long_songs(/,/^$/s|> 300|>= 300|' playlist.py
