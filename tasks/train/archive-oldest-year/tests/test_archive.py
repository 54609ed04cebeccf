"""Tests of archive.py."""

import unittest

from archive import (
    Box,
    locked,
    newest_year,
    oldest_year,
    readable,
    secret,
    series,
    shelf_metres,
    years_covered,
)


class ArchiveTest(unittest.TestCase):
    def rack(self):
        return [Box("A/12", 1890, 40, 0.5), Box("B/7X", 1985, 10, 1.5)]

    def test_file_in(self):
        box = Box("A/12", 1890, 40, 0.5)
        box.file_in(5)
        self.assertEqual(box.files, 45)

    def test_remove(self):
        box = Box("A/12", 1890, 40, 0.5)
        box.remove(5)
        self.assertEqual(box.files, 35)

    def test_shelf_metres(self):
        self.assertEqual(shelf_metres(self.rack()), 2.0)

    def test_oldest_year(self):
        self.assertEqual(oldest_year(self.rack()), 1890)

    def test_newest_year(self):
        self.assertEqual(newest_year(self.rack()), 1985)

    def test_locked(self):
        self.assertTrue(locked(self.rack()[1], 2035))
        self.assertFalse(locked(self.rack()[1], 2036))

    def test_series(self):
        self.assertEqual(series(self.rack()[0]), "A")

    def test_secret(self):
        self.assertTrue(secret("B/7X"))
        self.assertFalse(secret("X/7"))

    def test_years_covered(self):
        self.assertEqual(years_covered(1990, 1993), [1990, 1991, 1992])

    def test_readable(self):
        self.assertEqual(readable(self.rack(), ["A/12"]), ["B/7X"])


if __name__ == "__main__":
    unittest.main()
