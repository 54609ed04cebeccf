"""Tests of inventory.py."""

import unittest

from inventory import Item, by_price, dearest, low_stock, restock, sold_out, stock_value


class InventoryTest(unittest.TestCase):
    def shelf(self):
        return [Item("soap", 4, 4, 2.0), Item("rice", 9, 3, 1.5), Item("tea", 1, 5, 4.0)]

    def test_low_stock(self):
        self.assertEqual(low_stock(self.shelf()), ["soap", "tea"])

    def test_stock_value(self):
        self.assertEqual(stock_value(self.shelf()), 25.5)

    def test_restock(self):
        self.assertEqual(restock(Item("soap", 4, 4, 2.0), 6), 10)

    def test_dearest(self):
        self.assertEqual(dearest(self.shelf()), 4.0)
        self.assertEqual(dearest([]), 0)

    def test_by_price(self):
        self.assertEqual([item.name for item in by_price(self.shelf())], ["rice", "soap", "tea"])

    def test_sold_out(self):
        self.assertFalse(sold_out([Item("soap", 0, 4, 2.0), Item("rice", 9, 3, 1.5)]))
        self.assertTrue(sold_out([Item("soap", 0, 4, 2.0)]))


if __name__ == "__main__":
    unittest.main()
