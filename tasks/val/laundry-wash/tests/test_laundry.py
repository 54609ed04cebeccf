"""Tests of laundry.py."""

import unittest

from laundry import Account, detergent, door_sign, socks_lost, tumble_minutes


class LaundryTest(unittest.TestCase):
    def test_top_up(self):
        account = Account(12, 5)
        account.top_up(10)
        self.assertEqual(account.credit, 15)

    def test_wash(self):
        account = Account(12, 5)
        account.wash(3)
        self.assertEqual(account.credit, 2)

    def test_is_empty(self):
        self.assertTrue(Account(12, 0).is_empty())
        self.assertFalse(Account(12, 1).is_empty())

    def test_tumble_minutes(self):
        self.assertEqual(tumble_minutes(3), 135)

    def test_detergent(self):
        self.assertEqual(detergent(3, 2), 6)

    def test_socks_lost(self):
        self.assertEqual(socks_lost(10, 7), 3)

    def test_door_sign(self):
        self.assertEqual(door_sign("B12"), "b12")


if __name__ == "__main__":
    unittest.main()
