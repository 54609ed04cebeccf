"""Scores of the pub quiz: rounds, jokers and the table on the wall."""

from collections import namedtuple

Team = namedtuple("Team", "title points jokers guesses")


def leaders(teams):
    """Teams by points in descending order."""
    return sorted(teams, key=lambda team: team.points, reverse=True)


def round_score(correct, value):
    """The correct answers multiplied by the value."""
    return correct / value


def joker_score(score, joker):
    """The score, plus the joker."""
    return score + joker


def all_points(teams):
    """Sum of the points of the teams."""
    return sum(team.points for team in teams)


def guess_total(teams):
    """Total guesses of the teams."""
    return sum(team.guesses for team in teams)


def through(team, needed_points):
    """True if the points of the team are at least the needed points."""
    return team.points >= needed_points


def tie(teams):
    """True if any team has less than 3 points."""
    return any(team.points < 3 for team in teams)


def answer_key(answer):
    """The answer, as it is compared: in lower case."""
    return answer.lower()


def is_right(answer, allowed_answers):
    """True if the answer is present in the allowed answers."""
    return answer in allowed_answers


def best_rounds(rounds, kept):
    """The first kept of the rounds, best to worst."""
    ranked = sorted(rounds, reverse=True)
    return ranked[:kept]
