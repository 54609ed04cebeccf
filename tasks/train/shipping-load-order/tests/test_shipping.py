"""Tests of shipping.py."""

import unittest

from shipping import (
    ballast,
    bays,
    cleared,
    full_rows,
    gross_weight,
    holds,
    lightest,
    load_order,
    loaded,
    overweight,
    stack_height,
    trucks,
    unload_order,
)


class ShippingTest(unittest.TestCase):
    def test_stack_height(self):
        self.assertEqual(stack_height(4, 3), 12)

    def test_ballast(self):
        self.assertEqual(ballast(100, 70), 30)

    def test_gross_weight(self):
        self.assertEqual(gross_weight(20, 4), 24)

    def test_trucks(self):
        self.assertEqual(trucks(50, 20), 3)

    def test_full_rows(self):
        self.assertEqual(full_rows(50, 20), 2)

    def test_bays(self):
        self.assertEqual(bays(2, 5), [2, 3, 4, 5])

    def test_holds(self):
        self.assertEqual(holds(2, 5), [2, 3, 4])

    def test_lightest(self):
        self.assertEqual(lightest([20, 7, 9]), 7)

    def test_loaded(self):
        self.assertEqual(loaded([20, 7, 9]), 36)

    def test_load_order(self):
        self.assertEqual(load_order([20, 7, 9]), [7, 9, 20])

    def test_unload_order(self):
        self.assertEqual(unload_order([20, 7, 9]), [20, 9, 7])

    def test_overweight(self):
        self.assertTrue(overweight(31, 30))
        self.assertFalse(overweight(30, 30))

    def test_cleared(self):
        self.assertTrue(cleared(["bill"], ["bill", "visa"]))
        self.assertFalse(cleared(["bill", "oath"], ["bill"]))


if __name__ == "__main__":
    unittest.main()
