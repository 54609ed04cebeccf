#!/usr/bin/env bash
# Prints the path of uv: the one on PATH, or the pinned one, installed into the user's cache folder.
# usage: find_uv.sh [PYTHON]   the interpreter to install it with, where it is missing
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
pin="$(grep '^uv==' "$root/requirements.txt")"
home="${XDG_CACHE_HOME:-$HOME/.cache}/liverl/${pin/==/-}"

able() { # the first interpreter that can make a virtual environment; Debian's can't without python3-venv
    for python in "$@"; do
        if "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
            echo "$python" && return
        fi
    done
    return 1
}

if type -P uv; then
    exit 0
fi
if [ ! -x "$home/bin/uv" ]; then
    if ! python="$(able "${1:-python3}" python3)"; then
        bash "$root/scripts/setup_package.sh" "uv is installed by Python's venv" python3-venv python3
        python="$(able python3)" || { echo "error: python3 still makes no virtual environment" >&2; exit 1; }
    fi
    echo "installing $pin into $home" >&2
    "$python" -m venv --clear "$home" >&2
    "$home/bin/python" -m pip install --quiet --disable-pip-version-check "$pin" >&2
fi
echo "$home/bin/uv"
