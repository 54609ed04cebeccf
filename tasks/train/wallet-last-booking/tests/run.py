"""Runs one module of tests against the program in a folder: run.py TESTS APP; ends with 0 only when every test passed.

The program runs in a child that can start no process and write into no file. This process never loads it: it counts the
tests in their source and wants that number from the child. Python is started isolated (-I -S), and the program's folder
comes last on the path, so that a file planted beside the program replaces neither the standard library nor the tests.

Not prevented: the tests share the child with the program, and one that replaces parts of unittest, or finds the pipe
and writes the number itself, passes.
"""

import os
import re
import resource
import sys
import unittest


def count_passed(tests, here, app):
    """How many tests ran and passed; none when one of them failed."""
    for limit in (resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
        resource.setrlimit(limit, (0, 0))
    sys.path.insert(0, here)
    sys.path.append(app)
    suite = unittest.defaultTestLoader.loadTestsFromName(tests)
    result = unittest.TextTestRunner(stream=sys.stderr).run(suite)
    passed = result.testsRun - len(result.skipped) - len(result.expectedFailures)
    return passed if result.wasSuccessful() else 0


def main(tests, app):
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, tests + ".py"), encoding="utf-8") as source:
        wanted = len(re.findall(r"^\s+def test_", source.read(), re.MULTILINE))
    answer, report = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(report, b"%d" % count_passed(tests, here, app))
        os._exit(0)
    os.close(report)
    os.waitpid(child, 0)
    sys.exit(not wanted or os.read(answer, 16) != b"%d" % wanted)


if __name__ == "__main__":
    main(*sys.argv[1:])
