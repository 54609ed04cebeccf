"""Tests of recipes.py."""

import unittest

from recipes import (
    Recipe,
    allergy_free,
    batches,
    needed,
    pantry_name,
    per_portion,
    quick,
    slowest,
    steps,
)


class RecipesTest(unittest.TestCase):
    def menu(self):
        return [Recipe("soup", 4, 30, 1000), Recipe("stew", 6, 90, 2400), Recipe("salad", 2, 10, 300)]

    def test_per_portion(self):
        self.assertEqual(per_portion(self.menu()[0]), 250)

    def test_needed(self):
        self.assertEqual(needed(Recipe("soup", 3, 30, 1000), 2), 667)

    def test_batches(self):
        self.assertEqual(batches(11, 4), 2)

    def test_quick(self):
        self.assertEqual(quick(self.menu(), 30), ["soup", "salad"])

    def test_slowest(self):
        self.assertEqual(slowest(self.menu()), 90)

    def test_pantry_name(self):
        self.assertEqual(pantry_name("red lentils"), "Red Lentils")

    def test_allergy_free(self):
        self.assertTrue(allergy_free(["rice", "salt"], ["nuts"]))
        self.assertFalse(allergy_free(["rice", "nuts"], ["nuts"]))

    def test_steps(self):
        self.assertEqual(steps(3), [1, 2, 3])


if __name__ == "__main__":
    unittest.main()
