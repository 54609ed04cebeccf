"""Tests of orchard.py."""

import unittest

from orchard import (
    Tree,
    all_bear,
    crates_each,
    crop,
    frost_risk,
    pallets,
    tallest,
    to_fell,
    to_prune,
    wage,
    youngest,
)


class OrchardTest(unittest.TestCase):
    def grove(self):
        return [Tree("Boskoop", 40, 9, 6), Tree("Gala", 8, 3, 3)]

    def test_crop(self):
        self.assertEqual(crop(self.grove()), 12)

    def test_tallest(self):
        self.assertEqual(tallest(self.grove()), 6)

    def test_youngest(self):
        self.assertEqual(youngest(self.grove()), 8)

    def test_to_fell(self):
        self.assertEqual(to_fell(self.grove(), 8), ["Boskoop"])

    def test_to_prune(self):
        self.assertEqual([tree.sort for tree in to_prune(self.grove(), 6)], ["Boskoop"])

    def test_wage(self):
        self.assertEqual(wage(9, 4), 36)

    def test_crates_each(self):
        self.assertEqual(crates_each(12, 4), 3)

    def test_frost_risk(self):
        self.assertTrue(frost_risk(-1, True))
        self.assertFalse(frost_risk(3, True))

    def test_all_bear(self):
        self.assertTrue(all_bear(self.grove()))
        self.assertFalse(all_bear([Tree("Gala", 8, 2, 3)]))

    def test_pallets(self):
        self.assertEqual(pallets(100), 2)


if __name__ == "__main__":
    unittest.main()
