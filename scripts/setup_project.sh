#!/usr/bin/env bash
# Makes a folder ready for runs: the environment, and config.yaml with tasks/ where there is no config.yaml yet.
# usage: setup_project.sh [FOLDER]   default: the working folder; in a checkout the same as setup_env.sh
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
folder="$(cd -- "${1:-$PWD}" && pwd)"

bash "$root/scripts/setup_env.sh" "$folder"
if [ ! -e "$folder/config.yaml" ]; then
    if [ ! -e "$folder/tasks" ]; then
        rm -rf "$folder/.tasks.part" # whole or not there: an interrupted copy would look like the user's tasks
        cp -R "$root/tasks" "$folder/.tasks.part"
        mv "$folder/.tasks.part" "$folder/tasks"
        echo "copied tasks/"
    fi
    cp "$root/config.yaml" "$folder/config.yaml"
    echo "copied config.yaml: the only place where you set anything"
fi
echo "ready: $folder"
echo "next: /rl:check   (in a shell: cd $folder && .venv/bin/liverl check)"
