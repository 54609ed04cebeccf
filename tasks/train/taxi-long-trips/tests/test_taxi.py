"""Tests of taxi.py."""

import unittest

from taxi import (
    bookable,
    cabs,
    coins,
    fare,
    long_trips,
    luggage_fee,
    night_rate,
    paid_minutes,
    shared_fare,
    trip_total,
)


class TaxiTest(unittest.TestCase):
    def test_fare(self):
        self.assertEqual(fare(10, 2), 24)

    def test_paid_minutes(self):
        self.assertEqual(paid_minutes(12, 5), 7)

    def test_shared_fare(self):
        self.assertEqual(shared_fare(24, 3), 8)

    def test_cabs(self):
        self.assertEqual(cabs(9, 4), 3)

    def test_coins(self):
        self.assertEqual(coins(7, 2), 3)

    def test_night_rate(self):
        self.assertTrue(night_rate(4))
        self.assertTrue(night_rate(22))
        self.assertFalse(night_rate(12))

    def test_bookable(self):
        self.assertTrue(bookable("Ray", True, True))
        self.assertFalse(bookable("Ray", True, False))

    def test_long_trips(self):
        self.assertEqual(long_trips([3, 10, 12], 10), [12])

    def test_trip_total(self):
        self.assertEqual(trip_total([3, 10]), 13)

    def test_luggage_fee(self):
        self.assertEqual(luggage_fee(3), 6)


if __name__ == "__main__":
    unittest.main()
