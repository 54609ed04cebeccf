#!/bin/bash
# The tests beside this file decide: run.py answers with the word it was given only when every one passed, in time.
here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
logs=${VERIFIER_LOGS:-/logs/verifier}
word=$RANDOM$RANDOM$RANDOM
answer=$(cd "$here" && timeout 20 python3 -I -S -B run.py test_taxi "${APP:-/app}" <<<"$word")
if [ "${answer##*$'\n'}" = "$word" ]; then echo 1; else echo 0; fi >"$logs/reward.txt"
