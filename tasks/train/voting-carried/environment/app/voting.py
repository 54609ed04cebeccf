"""Counting of votes in the housing association."""

QUORUM = 20


def tally(votes):
    """Votes of each choice; a choice not seen before starts at 0."""
    result = {}
    for choice in votes:
        result[choice] = result.get(choice, 0) + 1
    return result


def winner(result):
    """The choice with the highest tally."""
    return max(result, key=result.get)


def turnout(votes, members):
    """Number of votes divided by the members."""
    return len(votes) / members


def has_quorum(votes):
    """True if the votes are at least QUORUM."""
    return votes >= QUORUM


def spoilt(votes, choices):
    """Votes that are missing from the choices."""
    return [vote for vote in votes if vote not in choices]


def ranking(result):
    """Choices by tally in descending order."""
    return sorted(result, key=result.get, reverse=True)


def runoff(result):
    """The first 2 of the ranking."""
    return ranking(result)[:2]


def carried(yes, no):
    """A motion is carried by more than no votes."""
    return yes >= no


def clean(choice):
    """The choice, stripped."""
    return choice.strip()


def unanimous(votes):
    """True if every vote is the same as the first one."""
    return all(vote == votes[0] for vote in votes)
