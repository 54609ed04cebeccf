"""Tests of greenhouse.py."""

import unittest

from greenhouse import dry_trays, fertiliser, hottest, night_samples, seedlings, swing, vent_open


class GreenhouseTest(unittest.TestCase):
    def test_hottest(self):
        self.assertEqual(hottest([18, 31, 25]), 31)

    def test_vent_open(self):
        self.assertTrue(vent_open(27))
        self.assertFalse(vent_open(26))

    def test_swing(self):
        self.assertEqual(swing([18, 31, 25]), 13)

    def test_night_samples(self):
        self.assertEqual(night_samples([18, 31, 25, 12], 2), [25, 12])

    def test_fertiliser(self):
        self.assertEqual(fertiliser(6, 4), 24)

    def test_seedlings(self):
        self.assertEqual(seedlings(2), 168)

    def test_dry_trays(self):
        self.assertEqual(dry_trays({"basil": 30, "cress": 40}, 40), ["basil"])


if __name__ == "__main__":
    unittest.main()
