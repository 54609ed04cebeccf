#!/usr/bin/env bash
# Makes an environment with the control plane's packages alone; does nothing where it is there and current.
# usage: setup_control.sh VENV
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
venv="$1" stamp="$1/.liverl-stamp" pins="$root/requirements-control.txt"

is_current() { [ -x "$venv/bin/python" ] && cmp -s "$pins" "$stamp"; }

if is_current; then
    exit 0
fi
mkdir -p "$(dirname -- "$venv")"
exec 9>"$venv.lock" && flock 9 # two sessions may start at once
if ! is_current; then
    echo "making $venv with the packages of requirements-control.txt (about 190 MB)" >&2
    uv="$(bash "$root/scripts/setup_venv.sh" "$venv")"
    "$uv" pip install --compile-bytecode --quiet --python "$venv/bin/python" --no-deps -r "$pins" >&2
    cp "$pins" "$stamp"
fi
