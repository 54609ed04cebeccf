"""Tests of marks.py."""

import unittest

from marks import all_passed, average, best, bonus, failing, initials, passed, top, without_worst


class MarksTest(unittest.TestCase):
    def test_average(self):
        self.assertEqual(average([40, 60, 80]), 60)

    def test_passed(self):
        self.assertTrue(passed(50))
        self.assertFalse(passed(49))

    def test_failing(self):
        self.assertEqual(failing({"Kim": 50, "Lou": 49, "Max": 20}), ["Lou", "Max"])

    def test_best(self):
        self.assertEqual(best({"Kim": 50, "Lou": 88}), 88)

    def test_without_worst(self):
        self.assertEqual(without_worst([70, 30, 50]), [50, 70])

    def test_bonus(self):
        self.assertEqual(bonus(70, 5), 75)
        self.assertEqual(bonus(98, 5), 100)

    def test_top(self):
        self.assertEqual(top([70, 30, 50], 2), [70, 50])

    def test_all_passed(self):
        self.assertTrue(all_passed([50, 90]))
        self.assertFalse(all_passed([40, 90]))

    def test_initials(self):
        self.assertEqual(initials("ada lovelace"), "AL")


if __name__ == "__main__":
    unittest.main()
