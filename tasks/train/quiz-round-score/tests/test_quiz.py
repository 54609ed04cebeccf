"""Tests of quiz.py."""

import unittest

from quiz import (
    Team,
    all_points,
    answer_key,
    best_rounds,
    guess_total,
    is_right,
    joker_score,
    leaders,
    round_score,
    through,
    tie,
)


class QuizTest(unittest.TestCase):
    def wall(self):
        return [Team("Owls", 12, 1, 3), Team("Foxes", 20, 0, 5)]

    def test_leaders(self):
        self.assertEqual([team.title for team in leaders(self.wall())], ["Foxes", "Owls"])

    def test_round_score(self):
        self.assertEqual(round_score(4, 5), 20)

    def test_joker_score(self):
        self.assertEqual(joker_score(20, 6), 26)

    def test_all_points(self):
        self.assertEqual(all_points(self.wall()), 32)

    def test_guess_total(self):
        self.assertEqual(guess_total(self.wall()), 8)

    def test_through(self):
        self.assertTrue(through(self.wall()[0], 12))
        self.assertFalse(through(self.wall()[0], 13))

    def test_tie(self):
        self.assertFalse(tie(self.wall()))
        self.assertTrue(tie([Team("Bats", 2, 0, 0), *self.wall()]))

    def test_answer_key(self):
        self.assertEqual(answer_key("Paris"), "paris")

    def test_is_right(self):
        self.assertTrue(is_right("paris", ["paris", "parigi"]))
        self.assertFalse(is_right("rome", ["paris"]))

    def test_best_rounds(self):
        self.assertEqual(best_rounds([5, 9, 7], 2), [9, 7])


if __name__ == "__main__":
    unittest.main()
