"""Tests of gauges.py."""

import unittest

from gauges import (
    Gauge,
    any_flood,
    highest_first,
    is_upper,
    mean_flow,
    on_river,
    peak,
    recent,
    rise,
    warnings,
)


class GaugesTest(unittest.TestCase):
    def net(self):
        return [Gauge("Aare", "Upper Mill", 3.0, 80), Gauge("Emme", "Ford", 5.5, 20), Gauge("aare", "Weir", 4.0, 50)]

    def test_peak(self):
        self.assertEqual(peak(self.net()), 5.5)

    def test_mean_flow(self):
        self.assertEqual(mean_flow(self.net()), 50)

    def test_warnings(self):
        self.assertEqual(warnings(self.net(), 4.0), ["Ford"])

    def test_rise(self):
        self.assertEqual(rise([3, 4, 7]), 4)

    def test_on_river(self):
        self.assertEqual(len(on_river(self.net(), "aare")), 2)

    def test_highest_first(self):
        self.assertEqual([gauge.place for gauge in highest_first(self.net())], ["Ford", "Weir", "Upper Mill"])

    def test_any_flood(self):
        self.assertTrue(any_flood(self.net(), 5.5))
        self.assertFalse(any_flood(self.net(), 6))

    def test_recent(self):
        self.assertEqual(recent([1, 2, 3], 2), [2, 3])

    def test_is_upper(self):
        self.assertTrue(is_upper("Upper Mill"))
        self.assertFalse(is_upper("Mill, Upper"))


if __name__ == "__main__":
    unittest.main()
