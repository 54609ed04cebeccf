"""Tests of printshop.py."""

import unittest

from printshop import Job, express_fee, full_boxes, has_colour, impressions, largest_job, sheets


class PrintshopTest(unittest.TestCase):
    def desk(self):
        return [Job("Ott", 10, 3, False), Job("Nay", 45, 1, True)]

    def test_impressions(self):
        self.assertEqual(impressions(self.desk()[0]), 30)

    def test_sheets(self):
        self.assertEqual(sheets(45), 23)

    def test_full_boxes(self):
        self.assertEqual(full_boxes(1999), 3)

    def test_largest_job(self):
        self.assertEqual(largest_job(self.desk()), 45)

    def test_has_colour(self):
        self.assertTrue(has_colour(self.desk()))
        self.assertFalse(has_colour(self.desk()[:1]))

    def test_express_fee(self):
        self.assertEqual(express_fee(59), 9)
        self.assertEqual(express_fee(60), 0)


if __name__ == "__main__":
    unittest.main()
