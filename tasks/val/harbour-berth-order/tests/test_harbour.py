"""Tests of harbour.py."""

import unittest

from harbour import Boat, berth_order, call_sign, clearance, deepest, dues, fits_berth, sailors


class HarbourTest(unittest.TestCase):
    def fleet(self):
        return [Boat("gull", 9, 1.4, 3), Boat("tern", 14, 2.1, 6)]

    def test_fits_berth(self):
        self.assertTrue(fits_berth(self.fleet()[0], 9))
        self.assertFalse(fits_berth(self.fleet()[1], 9))

    def test_deepest(self):
        self.assertEqual(deepest(self.fleet()), 2.1)

    def test_dues(self):
        self.assertEqual(dues(self.fleet()[0], 5), 45)

    def test_berth_order(self):
        self.assertEqual([boat.hull for boat in berth_order(self.fleet())], ["tern", "gull"])

    def test_clearance(self):
        self.assertEqual(clearance(4, 1.5), 2.5)

    def test_call_sign(self):
        self.assertEqual(call_sign("gull"), "GULL")

    def test_sailors(self):
        self.assertEqual(sailors(self.fleet()), 9)


if __name__ == "__main__":
    unittest.main()
