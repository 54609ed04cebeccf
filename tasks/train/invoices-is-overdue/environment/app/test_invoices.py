"""Tests of invoices.py."""

import unittest

from invoices import Line, after_discount, gross, is_overdue, longest_job, net, reminder_fee


class InvoicesTest(unittest.TestCase):
    def lines(self):
        return [Line("table", 6, 40), Line("door", 2, 50), Line("stairs", 10, 45)]

    def test_amount(self):
        self.assertEqual(Line("table", 6, 40).amount(), 240)

    def test_net(self):
        self.assertEqual(net(self.lines()), 790)

    def test_gross(self):
        self.assertEqual(gross(100, 19), 119)

    def test_after_discount(self):
        self.assertEqual(after_discount(100, 15), 85)
        self.assertEqual(after_discount(10, 15), 0)

    def test_is_overdue(self):
        self.assertFalse(is_overdue(30))
        self.assertTrue(is_overdue(31))

    def test_reminder_fee(self):
        self.assertEqual(reminder_fee(1), 0)
        self.assertEqual(reminder_fee(3), 10)

    def test_longest_job(self):
        self.assertEqual(longest_job(self.lines()), "stairs")


if __name__ == "__main__":
    unittest.main()
