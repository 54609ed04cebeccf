#!/usr/bin/env bash
# The one command: makes the environment where it is missing, checks, then trains with config.yaml to the end.
# usage: start.sh [options of `liverl run`, for example --smoke]
set -euo pipefail
scripts="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"

bash "$scripts/setup_env.sh"
exec bash "$scripts/train_1node_cc.sh" "$@"
