#!/usr/bin/env bash
# Runs a module of the control plane by a Python that has its packages; makes one where the checkout has none.
# usage: control.sh MODULE [ARGUMENTS]   all but what MODULE prints goes to stderr
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"

has_packages() { # looked for, not imported: importing them takes as long as the server's whole start
    [ -x "$root/.venv/bin/python" ] &&
        compgen -G "$root/.venv/lib/python3.12/site-packages/mcp" >/dev/null &&
        compgen -G "$root/.venv/lib/python3.12/site-packages/pydantic_core" >/dev/null
}

venv="$root/.venv"
if ! has_packages; then
    venv="${CLAUDE_PLUGIN_DATA:-${XDG_CACHE_HOME:-$HOME/.cache}/liverl}/control-venv"
    bash "$root/scripts/setup_control.sh" "$venv" >&2
fi
# This very code, whatever the working folder holds; PYTHONPATH would reach every process that it starts.
exec "$venv/bin/python" -P -c 'import runpy, sys
sys.path.insert(0, sys.argv[1])
del sys.argv[:2]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)' "$root" "$@"
