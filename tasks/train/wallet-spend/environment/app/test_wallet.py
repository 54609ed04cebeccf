"""Tests of wallet.py."""

import unittest

from wallet import Wallet, biggest_gift, income, savings_goal


class WalletTest(unittest.TestCase):
    def test_put(self):
        wallet = Wallet("Mia", 100)
        wallet.put(50)
        self.assertEqual(wallet.cents, 150)

    def test_spend(self):
        wallet = Wallet("Mia", 100)
        wallet.spend(30)
        self.assertEqual(wallet.cents, 70)

    def test_last_booking(self):
        wallet = Wallet("Mia")
        wallet.put(50)
        wallet.put(20)
        self.assertEqual(wallet.last_booking(), 20)

    def test_can_pay(self):
        self.assertTrue(Wallet("Mia", 100).can_pay(100))
        self.assertFalse(Wallet("Mia", 99).can_pay(100))

    def test_savings_goal(self):
        self.assertEqual(savings_goal(120, 6), 20)

    def test_income(self):
        self.assertEqual(income([5, -3, 10]), 15)

    def test_biggest_gift(self):
        self.assertEqual(biggest_gift([5, -3, 10]), 10)
        self.assertEqual(biggest_gift([]), 0)


if __name__ == "__main__":
    unittest.main()
