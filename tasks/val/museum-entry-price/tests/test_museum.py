"""Tests of museum.py."""

import unittest

from museum import donations, entry_price, guides, is_guided, opening_tour, per_head


class MuseumTest(unittest.TestCase):
    def test_entry_price(self):
        self.assertEqual(entry_price(2, 9), 18)

    def test_guides(self):
        self.assertEqual(guides(51), 3)

    def test_is_guided(self):
        self.assertTrue(is_guided(8))
        self.assertFalse(is_guided(7))

    def test_opening_tour(self):
        self.assertEqual(opening_tour([10, 12, 15]), 10)

    def test_donations(self):
        self.assertEqual(donations([1, 2, 5]), 8)

    def test_per_head(self):
        self.assertEqual(per_head(100, 3), 33)


if __name__ == "__main__":
    unittest.main()
