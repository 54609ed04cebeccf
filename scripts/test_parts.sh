#!/usr/bin/env bash
# Runs the fast tests in parts beside each other, as most of them wait; each part tells all when all have ended.
# usage: test_parts.sh [options of pytest]
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

# What reads logs and starts nothing; what drives real runs from without. The rest is the longest.
parts=("tests/troubleshooting" "tests/e2e tests/plugin tests/cli")
ignored=() told=() pids=() failed=0
for part in "${parts[@]}"; do
    read -ra folders <<<"$part"
    ignored+=("${folders[@]/#/--ignore=}")
    told+=("$(mktemp)")
    .venv/bin/python -m pytest "$@" -p no:cacheprovider "${folders[@]}" >"${told[-1]}" 2>&1 &
    pids+=("$!")
done
trap 'kill "${pids[@]}"; rm "${told[@]}"' INT TERM
renice -n 10 "${pids[0]}" >/dev/null || true # without it they take more of the others' time
.venv/bin/python -m pytest "$@" "${ignored[@]}" || failed=$?
for part in "${!parts[@]}"; do
    wait "${pids[part]}" || failed=$?
    cat "${told[part]}" && rm "${told[part]}"
done
exit "$failed"
