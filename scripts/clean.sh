#!/usr/bin/env bash
# Removes what a dead run has left; checkpoints and tracking data stay. Asks first; --dry-run only lists.
# usage: clean.sh [options of `liverl clean`: RUN --logs --trials --pods --all --dry-run --yes]
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

if [ ! -x .venv/bin/liverl ]; then
    echo "error: the environment is missing; make it with: bash $PWD/scripts/setup_env.sh" >&2
    exit 2
fi
exec .venv/bin/liverl clean "$@"
