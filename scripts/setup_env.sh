#!/usr/bin/env bash
# Makes .venv in the checkout's root with every pinned package; does nothing where it is there and current.
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
venv="$root/.venv" stamp="$root/.venv/.liverl-stamp"
wanted="$(cat "$root/requirements.txt" "$root/pyproject.toml" | sha256sum | cut -d' ' -f1) $root"

bash "$root/scripts/setup_sandbox.sh"
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && "$venv/bin/python" -c 'import liverl' 2>/dev/null; then
    exit 0
fi

python="$(bash "$root/scripts/find_python.sh" || true)"
uv="$(bash "$root/scripts/find_uv.sh" ${python:+"$python"})"
# Where Python came with uv it may be the right one.
if [ -z "$python" ] && ! python="$(bash "$root/scripts/find_python.sh")"; then
    echo "no Python 3.12 found; fetching one"
    if ! "$uv" python install 3.12; then
        echo "error: fetching Python 3.12 was refused; install it (python3.12, or pyenv install 3.12)" >&2
        exit 1
    fi
    python="$("$uv" python find 3.12)"
fi
"$venv/bin/python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 12))' 2>/dev/null ||
    "$uv" venv --clear --python "$python" "$venv"
echo "installing the packages of requirements.txt into $venv (about 7 GB the first time)"
# Compiled once here: where PYTHONDONTWRITEBYTECODE is set, each of a run's dozen processes would compile for itself.
"$uv" pip install --compile-bytecode --python "$venv/bin/python" --no-deps -r "$root/requirements.txt"
"$uv" pip install --python "$venv/bin/python" --no-deps --no-build-isolation --quiet -e "$root"
echo "$wanted" >"$stamp"
