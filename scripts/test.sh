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
[ $# -eq 0 ] || exec .venv/bin/python -m pytest "${selection[@]}" "$@"

# Most tests of real runs wait: the write-ups' tests, which read logs and start nothing, and in the fast suite those of the
# engine's parts run beside them. Each part tells what it has to say when all have ended.
parts=(tests/troubleshooting) ignored=() told=() pids=()
[ ${#selection[@]} -eq 0 ] || parts+=("tests/e2e tests/plugin")
failed=0
for part in "${parts[@]}"; do
    read -ra folders <<<"$part"
    ignored+=("${folders[@]/#/--ignore=}")
    told+=("$(mktemp)")
    .venv/bin/python -m pytest "${selection[@]}" -p no:cacheprovider "${folders[@]}" >"${told[-1]}" 2>&1 &
    pids+=("$!")
done
trap 'kill "${pids[@]}"; rm "${told[@]}"' INT TERM
renice -n 10 "${pids[0]}" >/dev/null
.venv/bin/python -m pytest "${selection[@]}" "${ignored[@]}" || failed=$?
for part in "${!parts[@]}"; do
    wait "${pids[part]}" || failed=$?
    cat "${told[part]}" && rm "${told[part]}"
done
exit "$failed"
