#!/usr/bin/env bash
# Makes sure that bubblewrap is there: installs it as root on Debian and Ubuntu, elsewhere names the command.
set -euo pipefail

if type -P bwrap >/dev/null; then
    exit 0
fi
command=""
for manager in "apt-get install -y" "dnf install -y" "zypper install -y" "pacman -S --noconfirm" "apk add"; do
    if [ -z "$command" ] && type -P "${manager%% *}" >/dev/null; then
        command="$manager bubblewrap"
    fi
done
if [ "$(id -u)" = 0 ] && [ "${command%% *}" = apt-get ]; then
    echo "installing bubblewrap"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq bubblewrap >/dev/null
    exit 0
fi
echo "error: trials run in bubblewrap, which is not installed; install it with:" >&2
echo "  sudo ${command:-<your package manager> install bubblewrap}" >&2
exit 1
