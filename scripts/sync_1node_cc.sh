#!/usr/bin/env bash
# Synchronous training on one machine: checks, then generates, scores and updates in lockstep.
# usage: sync_1node_cc.sh [options of `liverl run`]
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

exec .venv/bin/liverl run "$@"
