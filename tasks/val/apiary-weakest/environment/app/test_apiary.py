"""Tests of apiary.py."""

import unittest

from apiary import Hive, harvest, jars, strong_apiary, treat, weakest, winter_feed


class ApiaryTest(unittest.TestCase):
    def yard(self):
        return [Hive("Ruth", 9, 12, 3), Hive("Olga", 6, 7, 8)]

    def test_harvest(self):
        self.assertEqual(harvest(self.yard()), 19)

    def test_weakest(self):
        self.assertEqual(weakest(self.yard()), 6)

    def test_treat(self):
        self.assertEqual(treat(self.yard(), 8), ["Olga"])
        self.assertEqual(treat(self.yard(), 3), ["Ruth", "Olga"])

    def test_jars(self):
        self.assertEqual(jars(12, 0.5), 24)

    def test_winter_feed(self):
        self.assertEqual(winter_feed(self.yard()[0]), 27)

    def test_strong_apiary(self):
        self.assertTrue(strong_apiary(self.yard(), 6))
        self.assertFalse(strong_apiary(self.yard(), 7))


if __name__ == "__main__":
    unittest.main()
