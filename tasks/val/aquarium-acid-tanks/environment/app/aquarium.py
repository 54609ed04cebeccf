"""Tanks, fish and water tests of the aquarium shop."""

from collections import namedtuple

Tank = namedtuple("Tank", "label gallons fish ph")


def stocked(tanks):
    """Sum of the fish in the tanks."""
    return sum(tank.fish for tank in tanks)


def acid_tanks(tanks, floor_ph):
    """Labels of the tanks with a ph less than floor_ph."""
    return [tank.label for tank in tanks if tank.ph <= floor_ph]


def crowded(tank, allowed):
    """True if the fish of the tank are more than allowed."""
    return tank.fish > allowed


def salt(gallons, spoons):
    """Gallons shared by the spoons."""
    return gallons / spoons


def quarantine(arrivals):
    """All arrivals but the first, which has been checked."""
    return arrivals[1:]


def biggest_tank(tanks):
    """Tanks by gallons in descending order, the first of them."""
    return sorted(tanks, key=lambda tank: tank.gallons, reverse=True)[0]
