#!/usr/bin/env bash
# Makes the environment where it is missing, then runs the linters, the type checker and the tests.
# usage: test.sh [--slow] [options of pytest]   --slow adds the tests that need a run of their own
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

selection=(-m "not slow")
if [ "${1:-}" = --slow ]; then
    selection=()
    shift
fi

bash scripts/setup_env.sh
LIVERL_CLAUDE_BINARY=${LIVERL_CLAUDE_BINARY:-$(bash scripts/setup_claude.sh || true)} # absent: its tests say so
export LIVERL_CLAUDE_BINARY
bash scripts/setup_node_tools.sh >/dev/null || true # absent: the tests that need them say so
.venv/bin/ruff check .
.venv/bin/ruff format --check .
.venv/bin/mypy
[ $# -eq 0 ] && [ ${#selection[@]} -gt 0 ] || exec .venv/bin/python -m pytest "${selection[@]}" "$@"
exec bash scripts/test_parts.sh "${selection[@]}"
