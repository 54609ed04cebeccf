"""Tests of tramline.py."""

import unittest

from tramline import (
    delay,
    inner_halts,
    punctual,
    refund,
    runs,
    segment,
    serves,
    terminus,
    worst_delay,
)


class TramlineTest(unittest.TestCase):
    def test_segment(self):
        self.assertEqual(segment(["Zoo", "Park", "Dock"], 2), ["Park", "Dock"])

    def test_inner_halts(self):
        self.assertEqual(inner_halts(["Zoo", "Park", "Dock"]), ["Park", "Dock"])

    def test_terminus(self):
        self.assertEqual(terminus(["Zoo", "Park", "Dock"]), "Dock")

    def test_serves(self):
        self.assertTrue(serves(["Zoo", "Park"], "Zoo"))
        self.assertFalse(serves(["Zoo", "Park"], "Dock"))

    def test_runs(self):
        self.assertEqual(runs(3, 5), [3, 4, 5])

    def test_delay(self):
        self.assertEqual(delay(17, 12), 5)

    def test_punctual(self):
        self.assertTrue(punctual([1, 3], 3))
        self.assertFalse(punctual([1, 4], 3))

    def test_worst_delay(self):
        self.assertEqual(worst_delay([1, 4, 2]), 4)
        self.assertEqual(worst_delay([]), 0)

    def test_refund(self):
        self.assertTrue(refund(30))
        self.assertFalse(refund(29))


if __name__ == "__main__":
    unittest.main()
