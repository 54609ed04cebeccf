"""Tests of timetable.py."""

import unittest

from timetable import (
    arrival,
    clock,
    crossings,
    evening,
    is_service,
    last_boat,
    next_departure,
    stops,
    waiting_time,
)


class TimetableTest(unittest.TestCase):
    def test_clock(self):
        self.assertEqual(clock(545), "09:05")

    def test_next_departure(self):
        self.assertEqual(next_departure([500, 560, 620], 560), 560)
        self.assertIsNone(next_departure([500], 501))

    def test_waiting_time(self):
        self.assertEqual(waiting_time(560, 545), 15)

    def test_crossings(self):
        self.assertEqual(crossings([500, 560, 620]), 3)

    def test_last_boat(self):
        self.assertEqual(last_boat([500, 560, 620]), 620)

    def test_evening(self):
        self.assertEqual(evening([900, 1080, 1081]), [1081])

    def test_arrival(self):
        self.assertEqual(arrival(500, 25, 5), 530)

    def test_is_service(self):
        self.assertTrue(is_service("mon", ["sun"]))
        self.assertFalse(is_service("sun", ["sun"]))

    def test_stops(self):
        self.assertEqual(stops(["North", "Mill", "South"], 2), ["North", "Mill"])


if __name__ == "__main__":
    unittest.main()
