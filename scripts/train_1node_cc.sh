#!/usr/bin/env bash
# Trains on this one machine with the environment that setup_env.sh made.
# usage: train_1node_cc.sh [options of `liverl run`]
set -euo pipefail
scripts="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"

if [ ! -x "$scripts/../.venv/bin/liverl" ]; then
    echo "error: the environment is missing; make it with: bash $scripts/setup_env.sh" >&2
    exit 2
fi
exec bash "$scripts/sync_1node_cc.sh" "$@"
