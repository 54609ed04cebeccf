"""Tests of choir.py."""

import unittest

from choir import Singer, attendance, chairs, in_voice, may_perform, newest_rehearsal, solo_order


class ChoirTest(unittest.TestCase):
    def loft(self):
        return [Singer("Wyss", "Alto", [1, 2, 3, 4, 5, 6]), Singer("Egli", "bass", [2, 5])]

    def test_in_voice(self):
        self.assertEqual(in_voice(self.loft(), "alto"), ["Wyss"])

    def test_attendance(self):
        self.assertEqual(attendance(self.loft()[1]), 2)

    def test_may_perform(self):
        self.assertEqual([may_perform(singer) for singer in self.loft()], [True, False])

    def test_solo_order(self):
        self.assertEqual(solo_order(self.loft()), ["Wyss", "Egli"])

    def test_newest_rehearsal(self):
        self.assertEqual(newest_rehearsal(self.loft()[1]), 5)

    def test_chairs(self):
        self.assertEqual(chairs(self.loft(), 3), 5)


if __name__ == "__main__":
    unittest.main()
