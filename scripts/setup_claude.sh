#!/usr/bin/env bash
# Installs Claude Code's binary into .cache/claude, for the scaffold claude-code and its tests, and prints its path.
set -euo pipefail
home="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)/.cache/claude"
package=@anthropic-ai/claude-code@2.1.329

binary() { compgen -G "$home/node_modules/@anthropic-ai/claude-code-linux-*/claude" | head -n 1; }

if ! "$(binary)" --version 2>/dev/null | grep -q "^${package##*@} "; then
    if ! type -P npm >/dev/null; then
        echo "error: $package comes from npm, which is not installed; install Node.js with npm" >&2
        exit 1
    fi
    # --force: with a Node.js that the package calls too old npm takes an older version and says nothing.
    npm install --prefix "$home" --force --no-audit --no-fund --no-save "$package" >&2
fi
binary
