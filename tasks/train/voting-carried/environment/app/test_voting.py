"""Tests of voting.py."""

import unittest

from voting import (
    carried,
    clean,
    has_quorum,
    ranking,
    runoff,
    spoilt,
    tally,
    turnout,
    unanimous,
    winner,
)


class VotingTest(unittest.TestCase):
    def test_tally(self):
        self.assertEqual(tally(["red", "blue", "red"]), {"red": 2, "blue": 1})

    def test_winner(self):
        self.assertEqual(winner({"red": 2, "blue": 5}), "blue")

    def test_turnout(self):
        self.assertEqual(turnout(["red", "blue"], 8), 0.25)

    def test_has_quorum(self):
        self.assertTrue(has_quorum(20))
        self.assertFalse(has_quorum(19))

    def test_spoilt(self):
        self.assertEqual(spoilt(["red", "?", "blue"], ["red", "blue"]), ["?"])

    def test_ranking(self):
        self.assertEqual(ranking({"red": 2, "blue": 5, "green": 3}), ["blue", "green", "red"])

    def test_runoff(self):
        self.assertEqual(runoff({"red": 2, "blue": 5, "green": 3}), ["blue", "green"])

    def test_carried(self):
        self.assertTrue(carried(5, 4))
        self.assertFalse(carried(4, 4))

    def test_clean(self):
        self.assertEqual(clean(" Red "), "Red")

    def test_unanimous(self):
        self.assertTrue(unanimous(["red", "red"]))
        self.assertFalse(unanimous(["red", "blue"]))


if __name__ == "__main__":
    unittest.main()
