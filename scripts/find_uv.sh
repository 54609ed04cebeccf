#!/usr/bin/env bash
# Prints the path of uv: the one on PATH, or the pinned one, installed into the user's cache folder.
# usage: find_uv.sh [PYTHON]   the interpreter to install it with, where it is missing
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
pin="$(grep '^uv==' "$root/requirements.txt")"
home="${XDG_CACHE_HOME:-$HOME/.cache}/liverl/${pin/==/-}"

if type -P uv; then
    exit 0
fi
if [ ! -x "$home/bin/uv" ]; then
    python="${1:-python3}"
    echo "installing $pin into $home" >&2
    "$python" -m venv "$home" >&2 || {
        echo "error: $python can't make a virtual environment; install uv, or the package python3-venv" >&2
        exit 1
    }
    "$home/bin/python" -m pip install --quiet --disable-pip-version-check "$pin" >&2
fi
echo "$home/bin/uv"
