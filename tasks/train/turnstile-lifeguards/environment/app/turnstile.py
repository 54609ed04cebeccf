"""Visitors of the swimming pool, hour by hour."""

from math import ceil, floor

CAPACITY = 120


def inside(entered, left):
    """The entered minus the left."""
    return entered - left


def is_full(visitors):
    """True if the visitors are at least CAPACITY."""
    return visitors >= CAPACITY


def busiest(counts):
    """Largest of the counts."""
    return max(counts)


def quiet_hours(counts, limit):
    """Hours with a count below the limit."""
    return [hour for hour, count in enumerate(counts) if count < limit]


def lifeguards(visitors):
    """One guard for 40 visitors, rounded up."""
    return ceil(visitors / 60)


def ticket(age):
    """Children under 6 swim free, all others pay 4."""
    if age < 6:
        return 0
    return 4


def takings(tickets):
    """Sum of the tickets."""
    result = 0
    for ticket_price in tickets:
        result += ticket_price
    return result


def opening_hours(opens, closes):
    """Hours from opens to closes, the closing hour included."""
    return list(range(opens, closes + 1))


def lockers(visitors, shared):
    """Visitors shared by lockers, rounded down."""
    return floor(visitors / shared)


def may_enter(adult, escorted):
    """True if either adult or escorted."""
    return adult or escorted
