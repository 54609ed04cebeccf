"""Tests of loglines.py."""

import unittest

from loglines import errors, healthy, is_error, level, message, seconds, slow, tail


class LoglinesTest(unittest.TestCase):
    def test_level(self):
        self.assertEqual(level("WARN 3.5 disk is filling"), "warn")

    def test_seconds(self):
        self.assertEqual(seconds("WARN 3.5 disk 7"), 3.5)

    def test_message(self):
        self.assertEqual(message(["WARN", "disk", "full"]), "disk full")

    def test_is_error(self):
        self.assertTrue(is_error("ERROR 1 boom"))
        self.assertFalse(is_error("INFO 1 no ERROR"))

    def test_errors(self):
        self.assertEqual(errors(["ERROR 1 a\n", "INFO 2 b\n"]), ["ERROR 1 a"])

    def test_slow(self):
        self.assertEqual(slow([1, 5, 9, 7], 5), [9, 7, 5])

    def test_healthy(self):
        self.assertTrue(healthy([200, 404]))
        self.assertFalse(healthy([200, 500]))

    def test_tail(self):
        self.assertEqual(tail(list(range(12)))[0], 2)
        self.assertEqual(tail([1, 2, 3], 2), [2, 3])


if __name__ == "__main__":
    unittest.main()
