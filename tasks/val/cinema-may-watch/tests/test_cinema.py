"""Tests of cinema.py."""

import unittest

from cinema import (
    discount_day,
    late_showings,
    may_watch,
    row_label,
    seats_left,
    snack_total,
    trailers,
)


class CinemaTest(unittest.TestCase):
    def test_seats_left(self):
        self.assertEqual(seats_left(90, 60), 30)

    def test_discount_day(self):
        self.assertTrue(discount_day("tue", ["tue"]))
        self.assertFalse(discount_day("sat", ["tue"]))

    def test_row_label(self):
        self.assertEqual(row_label(" c "), "C")

    def test_may_watch(self):
        self.assertTrue(may_watch(12, 12))
        self.assertFalse(may_watch(11, 12))

    def test_late_showings(self):
        self.assertEqual(late_showings([1200, 1320, 1350]), [1350])

    def test_trailers(self):
        self.assertEqual(trailers(["ad", "teaser", "film"]), ["ad", "teaser"])

    def test_snack_total(self):
        self.assertEqual(snack_total([4, 5], 1), 10)


if __name__ == "__main__":
    unittest.main()
