"""Tests of bookings.py."""

import unittest

from bookings import (
    Booking,
    deposit,
    fee,
    guest_key,
    hours,
    in_order,
    is_listed,
    latest_stop,
    overlaps,
)


class BookingsTest(unittest.TestCase):
    def day(self):
        return [Booking("hall", " Anna ", 10, 12), Booking("hall", "Bo", 8, 9)]

    def test_overlaps(self):
        first, second = self.day()
        self.assertFalse(overlaps(first, second))
        self.assertTrue(overlaps(first, Booking("hall", "Cy", 11, 14)))

    def test_hours(self):
        self.assertEqual(hours(self.day()[0]), [10, 11])

    def test_fee(self):
        self.assertEqual(fee(self.day()[0], 15), 30)

    def test_guest_key(self):
        self.assertEqual(guest_key(self.day()[0]), "anna")

    def test_latest_stop(self):
        self.assertEqual(latest_stop(self.day()), 12)
        self.assertEqual(latest_stop([]), 0)

    def test_deposit(self):
        self.assertEqual(deposit(201), 50)
        self.assertEqual(deposit(200), 0)

    def test_is_listed(self):
        self.assertTrue(is_listed("Bo", ["Al", "Bo"]))
        self.assertFalse(is_listed("Cy", ["Al", "Bo"]))

    def test_in_order(self):
        self.assertEqual([b.guest for b in in_order(self.day())], ["Bo", " Anna "])


if __name__ == "__main__":
    unittest.main()
