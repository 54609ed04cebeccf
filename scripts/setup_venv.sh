#!/usr/bin/env bash
# Makes a virtual environment of Python 3.12 where it is missing, and prints the path of uv, which fills it.
# usage: setup_venv.sh VENV
set -euo pipefail
scripts="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)" venv="$1"

python="$(bash "$scripts/find_python.sh" || true)"
uv="$(bash "$scripts/find_uv.sh" ${python:+"$python"})"
# Where Python came with uv it may be the right one.
if [ -z "$python" ] && ! python="$(bash "$scripts/find_python.sh")"; then
    echo "no Python 3.12 found; fetching one" >&2
    if ! "$uv" python install 3.12 >&2; then
        echo "error: fetching Python 3.12 was refused; install it (python3.12, or pyenv install 3.12)" >&2
        exit 1
    fi
    python="$("$uv" python find 3.12)"
fi
"$venv/bin/python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 12))' 2>/dev/null ||
    "$uv" venv --clear --python "$python" "$venv" >&2
echo "$uv"
