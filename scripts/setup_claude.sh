#!/usr/bin/env bash
# Installs Claude Code's binary into .cache/claude, for the scaffold claude-code and its tests, and prints its path.
set -euo pipefail
home="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)/.cache/claude"
package=@anthropic-ai/claude-code@2.1.197

if ! "$home/node_modules/.bin/claude" --version 2>/dev/null | grep -q "^${package##*@} "; then
    if ! type -P npm >/dev/null; then
        echo "error: $package comes from npm, which is not installed; install Node.js with npm" >&2
        exit 1
    fi
    npm install --prefix "$home" --no-audit --no-fund --no-save "$package" >&2
fi
realpath "$home/node_modules/.bin/claude"
