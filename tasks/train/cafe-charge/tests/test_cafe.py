"""Tests of cafe.py."""

import unittest

from cafe import (
    Tab,
    cakes_sold,
    change,
    cups_sold,
    debtors,
    greeting,
    next_guest,
    on_menu,
    refill,
    split_bill,
    stamp_card,
    table_order,
)


class CafeTest(unittest.TestCase):
    def tabs(self):
        return [Tab("ana", 3, 1, 900), Tab("ben", 1, 2, 500)]

    def test_pay(self):
        tab = Tab("ana", 3, 1, 900)
        tab.pay(400)
        self.assertEqual(tab.cents, 500)

    def test_charge(self):
        tab = Tab("ana", 3, 1, 900)
        tab.charge(250)
        self.assertEqual(tab.cents, 1150)

    def test_cups_sold(self):
        self.assertEqual(cups_sold(self.tabs()), 4)

    def test_cakes_sold(self):
        self.assertEqual(cakes_sold(self.tabs()), 3)

    def test_debtors(self):
        self.assertEqual(debtors(self.tabs(), 900), ["ana"])

    def test_stamp_card(self):
        self.assertTrue(stamp_card(10))
        self.assertFalse(stamp_card(9))

    def test_change(self):
        self.assertEqual(change(1000, 900), 100)

    def test_split_bill(self):
        self.assertEqual(split_bill(900, 3), 300)

    def test_table_order(self):
        self.assertEqual(table_order([1, 2, 3]), [1, 2])

    def test_next_guest(self):
        self.assertEqual(next_guest(["ana", "ben"]), "ana")

    def test_greeting(self):
        self.assertEqual(greeting("ana lopez"), "Ana Lopez")

    def test_on_menu(self):
        self.assertTrue(on_menu("tea", ["tea"]))
        self.assertFalse(on_menu("beer", ["tea"]))

    def test_refill(self):
        self.assertTrue(refill(14))
        self.assertFalse(refill(15))


if __name__ == "__main__":
    unittest.main()
