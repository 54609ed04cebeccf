#!/usr/bin/env bash
# Checks everything a run needs, and starts and changes nothing.
# usage: dryrun.sh [options of `liverl check`]
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

if [ ! -x .venv/bin/liverl ]; then
    echo "error: the environment is missing; make it with: bash $PWD/scripts/setup_env.sh" >&2
    exit 2
fi
exec .venv/bin/liverl check "$@"
