"""Tests of weather.py."""

import unittest

from weather import (
    alarm,
    coldest,
    forecast_high,
    frost_days,
    mean,
    newest,
    shown,
    station_code,
    warmest,
)


class WeatherTest(unittest.TestCase):
    def test_warmest(self):
        self.assertEqual(warmest([3, 9, 4]), 9)

    def test_coldest(self):
        self.assertEqual(coldest([3, 9, 4]), 3)

    def test_mean(self):
        self.assertEqual(mean([3, 9, 6]), 6)

    def test_frost_days(self):
        self.assertEqual(frost_days([1, 3, 2, 7]), 2)

    def test_shown(self):
        self.assertEqual(shown(3.8), 3)
        self.assertEqual(shown(-1.5), -2)

    def test_forecast_high(self):
        self.assertEqual(forecast_high(20.2, 2), 23)

    def test_newest(self):
        self.assertEqual(newest([1, 2, 3, 4], 2), [3, 4])

    def test_alarm(self):
        self.assertTrue(alarm(90, False))
        self.assertTrue(alarm(10, True))
        self.assertFalse(alarm(80, False))

    def test_station_code(self):
        self.assertEqual(station_code(" hill top "), "HILL TOP")


if __name__ == "__main__":
    unittest.main()
