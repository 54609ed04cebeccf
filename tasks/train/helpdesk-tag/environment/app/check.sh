#!/bin/sh
# Runs the tests and prints what failed, then the verdict.
python3 -S -B -m unittest -q test_helpdesk 2>&1 | grep -E '^(FAIL|ERROR|OK|SyntaxError|IndentationError|NameError)' | cut -d' ' -f1,2
