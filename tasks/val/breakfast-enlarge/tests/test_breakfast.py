"""Tests of breakfast.py."""

import unittest

from breakfast import Order, pickup_list, regulars, rolls_to_bake, tray_price


class BreakfastTest(unittest.TestCase):
    def morning(self):
        return [Order("Vogt", 10, 1), Order("Abt", 6, 3)]

    def test_enlarge(self):
        order = Order("Vogt", 10, 1)
        order.enlarge(4)
        self.assertEqual(order.rolls, 14)

    def test_cancel(self):
        order = Order("Vogt", 10, 3)
        order.cancel(2)
        self.assertEqual(order.loaves, 1)

    def test_rolls_to_bake(self):
        self.assertEqual(rolls_to_bake(self.morning()), 16)

    def test_regulars(self):
        self.assertEqual(regulars(self.morning(), ["Abt"]), ["Abt"])

    def test_tray_price(self):
        self.assertEqual(tray_price(2), 70)

    def test_pickup_list(self):
        self.assertEqual(pickup_list(self.morning()), ["Abt", "Vogt"])


if __name__ == "__main__":
    unittest.main()
