"""Tests of turnstile.py."""

import unittest

from turnstile import (
    busiest,
    inside,
    is_full,
    lifeguards,
    lockers,
    may_enter,
    opening_hours,
    quiet_hours,
    takings,
    ticket,
)


class TurnstileTest(unittest.TestCase):
    def test_inside(self):
        self.assertEqual(inside(50, 20), 30)

    def test_is_full(self):
        self.assertTrue(is_full(120))
        self.assertFalse(is_full(119))

    def test_busiest(self):
        self.assertEqual(busiest([3, 9, 4]), 9)

    def test_quiet_hours(self):
        self.assertEqual(quiet_hours([5, 2, 9, 4], 5), [1, 3])

    def test_lifeguards(self):
        self.assertEqual(lifeguards(81), 3)

    def test_ticket(self):
        self.assertEqual(ticket(5), 0)
        self.assertEqual(ticket(6), 4)

    def test_takings(self):
        self.assertEqual(takings([4, 0, 4]), 8)

    def test_opening_hours(self):
        self.assertEqual(opening_hours(9, 12), [9, 10, 11, 12])

    def test_lockers(self):
        self.assertEqual(lockers(7, 2), 3)

    def test_may_enter(self):
        self.assertTrue(may_enter(True, False))
        self.assertTrue(may_enter(False, True))
        self.assertFalse(may_enter(False, False))


if __name__ == "__main__":
    unittest.main()
