"""Tests of telescope.py."""

import unittest

from telescope import (
    Target,
    brightest,
    catalogue_key,
    closing_target,
    exposure,
    observable,
    visible,
)


class TelescopeTest(unittest.TestCase):
    def sky(self):
        return [Target("Vega", 60, 0.0, "R"), Target("Mira", 20, 6.5, "B"), Target("Deneb", 45, 1.2, "R")]

    def test_visible(self):
        self.assertEqual(visible(self.sky()), ["Vega", "Deneb"])

    def test_brightest(self):
        self.assertEqual(brightest(self.sky()), 0.0)

    def test_exposure(self):
        self.assertEqual(exposure(30, 12), 360)

    def test_observable(self):
        self.assertTrue(observable(10, 20))
        self.assertFalse(observable(10, 90))
        self.assertFalse(observable(90, 10))

    def test_closing_target(self):
        self.assertEqual(closing_target(["Vega", "Mira"]), "Mira")

    def test_catalogue_key(self):
        self.assertEqual(catalogue_key("Deneb"), "deneb")


if __name__ == "__main__":
    unittest.main()
