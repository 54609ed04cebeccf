"""Tests of garden.py."""

import unittest

from garden import Bed, any_dry, cans, label, plants, rotation, smallest_bed, thirsty, water


class GardenTest(unittest.TestCase):
    def beds(self):
        return [Bed("kale", 4, 12, 3), Bed("sweet peas", 2, 6, 1), Bed("beans", 6, 20, 4)]

    def test_thirsty(self):
        self.assertEqual(thirsty(self.beds(), 3), ["beans"])

    def test_water(self):
        self.assertEqual(water(self.beds()), 38)

    def test_plants(self):
        self.assertEqual(plants(self.beds()[0], 8), 32)

    def test_cans(self):
        self.assertEqual(cans(38), 4)
        self.assertEqual(cans(40), 4)

    def test_any_dry(self):
        self.assertTrue(any_dry(self.beds()))
        self.assertFalse(any_dry(self.beds()[:2]))

    def test_label(self):
        self.assertEqual(label(self.beds()[1]), "Sweet Peas")

    def test_smallest_bed(self):
        self.assertEqual(smallest_bed(self.beds()), 2)

    def test_rotation(self):
        self.assertEqual(rotation(["kale", "peas", "beans"]), ["peas", "beans", "kale"])


if __name__ == "__main__":
    unittest.main()
