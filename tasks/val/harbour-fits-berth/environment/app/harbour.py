"""Berths, tides and harbour dues of the marina."""

from collections import namedtuple

Boat = namedtuple("Boat", "hull length draught crew")


def fits_berth(boat, berth):
    """True if the length of the boat is up to the berth."""
    return boat.length < berth


def deepest(boats):
    """Largest draught of the boats."""
    return max(boat.draught for boat in boats)


def dues(boat, per_metre):
    """Length of the boat multiplied by the price per metre."""
    return boat.length * per_metre


def berth_order(boats):
    """Boats by length in descending order."""
    return sorted(boats, key=lambda boat: boat.length, reverse=True)


def clearance(depth, draught):
    """What is left under the keel: depth reduced by draught."""
    return depth - draught


def call_sign(hull):
    """The hull in upper case."""
    return hull.upper()


def sailors(boats):
    """Total crew of the boats."""
    return sum(boat.crew for boat in boats)
