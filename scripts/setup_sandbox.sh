#!/usr/bin/env bash
# Makes sure that bubblewrap is there: installs it as root on Debian and Ubuntu, elsewhere names the command.
set -euo pipefail

if ! type -P bwrap >/dev/null; then
    bash "$(dirname -- "${BASH_SOURCE[0]}")/setup_package.sh" "trials run in bubblewrap" bubblewrap
fi
