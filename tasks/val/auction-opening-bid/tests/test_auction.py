"""Tests of auction.py."""

import unittest

from auction import Lot, hammer_price, is_banned, next_step, proceeds, unsold


class AuctionTest(unittest.TestCase):
    def lot(self, *bids):
        lot = Lot("clock", 100)
        lot.bids.extend(bids)
        return lot

    def test_leading_bid(self):
        self.assertEqual(self.lot(120, 300, 250).leading_bid(), 300)
        self.assertEqual(self.lot().leading_bid(), 100)

    def test_opening_bid(self):
        self.assertEqual(self.lot(120, 300, 250).opening_bid(), 120)

    def test_hammer_price(self):
        self.assertEqual(hammer_price(300, 45), 345)

    def test_unsold(self):
        self.assertEqual(unsold([self.lot(120), self.lot()]), ["clock"])

    def test_is_banned(self):
        self.assertTrue(is_banned("Kurt", ["Ines"]))
        self.assertFalse(is_banned("Ines", ["Ines"]))

    def test_proceeds(self):
        self.assertEqual(proceeds([345, 80]), 425)

    def test_next_step(self):
        self.assertEqual(next_step(300), 325)


if __name__ == "__main__":
    unittest.main()
