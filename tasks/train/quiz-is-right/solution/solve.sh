#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def is_right(/,/^$/s|not in allowed_answers|in allowed_answers|' quiz.py
