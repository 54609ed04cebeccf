"""Tests of aquarium.py."""

import unittest

from aquarium import Tank, acid_tanks, biggest_tank, crowded, quarantine, salt, stocked


class AquariumTest(unittest.TestCase):
    def shop(self):
        return [Tank("reef", 120, 14, 8.1), Tank("pond", 300, 40, 6.5), Tank("nano", 8, 3, 6.9)]

    def test_stocked(self):
        self.assertEqual(stocked(self.shop()), 57)

    def test_acid_tanks(self):
        self.assertEqual(acid_tanks(self.shop(), 6.9), ["pond"])

    def test_crowded(self):
        self.assertTrue(crowded(self.shop()[1], 39))
        self.assertFalse(crowded(self.shop()[1], 40))

    def test_salt(self):
        self.assertEqual(salt(120, 8), 15)

    def test_quarantine(self):
        self.assertEqual(quarantine(["guppy", "tetra", "molly"]), ["tetra", "molly"])

    def test_biggest_tank(self):
        self.assertEqual(biggest_tank(self.shop()).label, "pond")


if __name__ == "__main__":
    unittest.main()
