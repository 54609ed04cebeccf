"""Tests of solar.py."""

import unittest

from solar import Panel, feed_in, inspection_years, installed, month_yield, revenue, underperforming


class SolarTest(unittest.TestCase):
    def roof(self):
        return [Panel("S-1", 400, 38.5, 30), Panel("S-2", 350, 20.0, 30)]

    def test_month_yield(self):
        self.assertEqual(month_yield(self.roof()), 58.5)

    def test_installed(self):
        self.assertEqual(installed(self.roof()), 750)

    def test_underperforming(self):
        self.assertEqual(underperforming(self.roof(), 38.5), ["S-2"])

    def test_feed_in(self):
        self.assertEqual(feed_in(50, 20), 30)

    def test_revenue(self):
        self.assertEqual(revenue(20), 220)

    def test_inspection_years(self):
        self.assertEqual(inspection_years(2019, 2022), [2019, 2020, 2021])


if __name__ == "__main__":
    unittest.main()
