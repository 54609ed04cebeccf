#!/usr/bin/env bash
# Makes an environment with the public detectors that bench/diagnosis.py measures beside LiveRL, and prints its Python.
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
venv="$root/.cache/rivals"
if ! "$venv/bin/python" -c 'import rlwatch, rl_doctor, rlprobe' 2>/dev/null; then
    uv="$(bash "$root/scripts/setup_venv.sh" "$venv")"
    "$uv" pip install --quiet --python "$venv/bin/python" rlwatch==0.5.1 rldoctor==0.2.0 rlprobe==0.1.0 numpy==2.3.5 >&2
fi
echo "$venv/bin/python"
