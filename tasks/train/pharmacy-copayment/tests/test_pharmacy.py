"""Tests of pharmacy.py."""

import unittest

from pharmacy import (
    Medicine,
    copayment,
    daily_dose,
    drawers,
    is_prescribed,
    next_duty,
    packs_left,
    strongest,
    unavailable,
)


class PharmacyTest(unittest.TestCase):
    def shelf(self):
        return [Medicine("ibu", 4, 400, 7), Medicine("aspirin", 9, 100, 3)]

    def test_strongest(self):
        self.assertEqual(strongest(self.shelf()), 400)

    def test_packs_left(self):
        self.assertEqual(packs_left(self.shelf()), 13)

    def test_drawers(self):
        self.assertEqual(drawers(self.shelf()), 3)

    def test_unavailable(self):
        self.assertEqual(unavailable(["ibu", "zinc"], ["ibu"]), ["zinc"])

    def test_is_prescribed(self):
        self.assertTrue(is_prescribed("ibu", ["ibu"]))
        self.assertFalse(is_prescribed("zinc", ["ibu"]))

    def test_daily_dose(self):
        self.assertEqual(daily_dose(2, 3), 6)

    def test_copayment(self):
        self.assertEqual(copayment(101), 10)
        self.assertEqual(copayment(100), 0)

    def test_next_duty(self):
        self.assertEqual(next_duty(["Bell", "Crown", "Lion"], 2), ["Bell", "Crown"])


if __name__ == "__main__":
    unittest.main()
