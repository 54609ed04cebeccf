#!/usr/bin/env bash
# Installs a system package: as root on Debian and Ubuntu, elsewhere it names the command and fails.
# usage: setup_package.sh WHY PACKAGE [OTHER]   OTHER: its name where the package manager is not apt-get
set -euo pipefail
why="$1" package="$2" other="${3:-$2}"

command=""
for manager in "apt-get install -y" "dnf install -y" "zypper install -y" "pacman -S --noconfirm" "apk add"; do
    if [ -z "$command" ] && type -P "${manager%% *}" >/dev/null; then
        [ "${manager%% *}" = apt-get ] || package="$other"
        command="$manager $package"
    fi
done
if [ "$(id -u)" = 0 ] && [ "${command%% *}" = apt-get ]; then
    echo "installing $package" >&2
    apt-get update -qq >&2 || true # a source that is down need not be the one that has the package
    if DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package" >/dev/null; then
        exit 0
    fi
fi
echo "error: $why, which is not installed; install it with:" >&2
echo "  sudo ${command:-<your package manager> install $other}" >&2
exit 1
