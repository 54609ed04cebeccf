#!/usr/bin/env bash
# Synchronous training on one machine: checks, then generates, scores and updates in lockstep.
# usage: sync_1node_cc.sh [options of `liverl run`]
# At a terminal it asks before it starts; without one, having called it is the yes.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

if [ ! -t 0 ]; then
    set -- --yes "$@"
fi
exec .venv/bin/liverl run "$@"
