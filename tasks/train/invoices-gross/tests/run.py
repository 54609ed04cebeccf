"""Runs one module of tests against the program in a folder: run.py TESTS APP, with a word on standard input.

The word is printed, as the last line, only when tests were found and all passed. Python is started isolated (-I -S), and
the program's folder comes last on the path, so that a file planted beside the program replaces neither the standard
library nor the tests.
"""

import os
import sys
import unittest


def main(tests, app):
    word = sys.stdin.readline()
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    sys.path.append(app)
    suite = unittest.defaultTestLoader.loadTestsFromName(tests)
    result = unittest.TextTestRunner(stream=sys.stderr).run(suite)
    if result.testsRun and result.wasSuccessful():
        print("\n" + word, end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
