#!/usr/bin/env bash
# Prints the path of a Python 3.12 that works: on PATH, or where version managers keep theirs. Fails where none is.
set -euo pipefail
shopt -s nullglob

works() { # a version manager's shim is on PATH and fails when its version is not selected
    "$1" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 12))' >/dev/null 2>&1
}

mapfile -t on_path < <(type -ap python3.12 python3 python || true)
candidates=("${on_path[@]}"
    "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.12*/bin/python3.12
    "${ASDF_DATA_DIR:-$HOME/.asdf}"/installs/python/3.12*/bin/python3.12
    "${MISE_DATA_DIR:-$HOME/.local/share/mise}"/installs/python/3.12*/bin/python3.12
    "${UV_PYTHON_INSTALL_DIR:-$HOME/.local/share/uv/python}"/*3.12*/bin/python3.12
    "$HOME"/{miniconda3,anaconda3,miniforge3,.conda}/{,envs/*/}bin/python3.12
    /opt/{,*/,*/*/}bin/python3.12 "$HOME"/.local/bin/python3.12 /usr/local/bin/python3.12)

for candidate in "${candidates[@]}"; do
    if works "$candidate"; then
        "$candidate" -c 'import sys; print(sys.executable)'
        exit 0
    fi
done
exit 1
