#!/usr/bin/env bash
# Makes FOLDER/.venv with every pinned package; does nothing where it is there and current.
# usage: setup_env.sh [FOLDER]   default: the checkout's root
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
folder="$(cd -- "${1:-$root}" && pwd)"
venv="$folder/.venv" stamp="$folder/.venv/.liverl-stamp" package="$root" quiet=()
[ -t 1 ] || quiet=(--quiet) # 237 names that nobody reads in a log
wanted="$(cat "$root/requirements.txt" "$root/pyproject.toml" | sha256sum | cut -d' ' -f1) $root"

bash "$root/scripts/setup_sandbox.sh"
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && "$venv/bin/python" -c 'import liverl' 2>/dev/null; then
    exit 0
fi
if ! [ "$folder" -ef "$root" ]; then
    if [ -e "$venv" ] && [ ! -f "$stamp" ]; then
        echo "error: $venv is there and LiveRL did not make it; choose another folder, or move it away" >&2
        exit 2
    fi
    package="$venv/share/liverl" # links: a build writes beside the package, and a plugin's folder takes nothing
fi
uv="$(bash "$root/scripts/setup_venv.sh" "$venv")"
echo "making" >"$stamp"
echo "installing the packages of requirements.txt into $venv (about 7 GB the first time)"
# Compiled once here: where PYTHONDONTWRITEBYTECODE is set, each of a run's dozen processes would compile for itself.
"$uv" pip install "${quiet[@]}" --compile-bytecode --python "$venv/bin/python" --no-deps -r "$root/requirements.txt"
mkdir -p "$package"
[ "$package" = "$root" ] || ln -sf "$root"/{liverl,mcp_server,pyproject.toml,README.md,LICENSE} "$package"
"$uv" pip install --python "$venv/bin/python" --no-deps --no-build-isolation --quiet -e "$package"
echo "$wanted" >"$stamp"
