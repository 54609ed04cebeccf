"""Tests of fuel.py."""

import unittest

from fuel import (
    Fill,
    cheapest,
    consumption,
    dear_days,
    distance,
    needs_fill,
    range_left,
    spent,
    tanks,
)


class FuelTest(unittest.TestCase):
    def book(self):
        return [Fill(3, 40, 1.5, 1000), Fill(9, 30, 2.0, 1600)]

    def test_cost(self):
        self.assertEqual(self.book()[0].cost(), 60)

    def test_consumption(self):
        self.assertEqual(consumption(30, 600), 5)

    def test_distance(self):
        self.assertEqual(distance(self.book()), 600)

    def test_cheapest(self):
        self.assertEqual(cheapest(self.book()), 1.5)

    def test_spent(self):
        self.assertEqual(spent(self.book()), 120)

    def test_range_left(self):
        self.assertEqual(range_left(10, 0.06), 166)

    def test_needs_fill(self):
        self.assertFalse(needs_fill(8))
        self.assertTrue(needs_fill(7.9))

    def test_tanks(self):
        self.assertEqual(tanks(1700, 600), 3)

    def test_dear_days(self):
        self.assertEqual(dear_days(self.book(), 1.5), [9])


if __name__ == "__main__":
    unittest.main()
