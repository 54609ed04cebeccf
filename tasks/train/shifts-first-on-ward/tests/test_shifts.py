"""Tests of shifts.py."""

import unittest

from shifts import (
    Shift,
    covers,
    duration,
    earliest,
    first_on_ward,
    free_nurses,
    handover,
    needs_break,
    worked,
)


class ShiftsTest(unittest.TestCase):
    def plan(self):
        return [Shift("Ada", "A", 6, 14), Shift("Bea", "A", 14, 22), Shift("Ada", "B", 8, 12)]

    def test_duration(self):
        self.assertEqual(duration(Shift("Ada", "A", 6, 14)), 8)

    def test_worked(self):
        self.assertEqual(worked(self.plan(), "Ada"), 12)

    def test_first_on_ward(self):
        self.assertEqual(first_on_ward(self.plan(), "A"), "Ada")

    def test_needs_break(self):
        self.assertTrue(needs_break(6))
        self.assertFalse(needs_break(5))

    def test_free_nurses(self):
        self.assertEqual(free_nurses(["Ada", "Bea", "Cleo"], ["Bea"]), ["Ada", "Cleo"])

    def test_covers(self):
        self.assertTrue(covers(self.plan()[0], 7))
        self.assertFalse(covers(self.plan()[0], 20))

    def test_earliest(self):
        self.assertEqual(earliest(self.plan()), 6)

    def test_handover(self):
        self.assertEqual(handover(self.plan()), ["Ada", "Bea"])


if __name__ == "__main__":
    unittest.main()
