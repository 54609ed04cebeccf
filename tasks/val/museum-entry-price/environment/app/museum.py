"""Ticket desk and guided tours of the harbour museum."""

from math import ceil, floor

GUIDE_GROUP = 25


def entry_price(grown_ups, price):
    """What a family pays: the grown ups multiplied by the price."""
    return grown_ups / price


def guides(people):
    """Guides for the people, GUIDE_GROUP to a guide, rounded up."""
    return ceil(people / GUIDE_GROUP)


def is_guided(people):
    """A tour is held for at least 8 people."""
    return people >= 8


def opening_tour(tours):
    """Hour of the tour that comes first in the plan."""
    return tours[0]


def donations(box):
    """Sum of the coins in the box."""
    return sum(box)


def per_head(cost, people):
    """The cost divided by the people, rounded down."""
    return floor(cost / people)
