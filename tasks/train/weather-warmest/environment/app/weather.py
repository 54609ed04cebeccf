"""Readings of the weather station behind the school."""

from math import ceil, floor

FROST = 3


def warmest(readings):
    """Highest of the readings."""
    return min(readings)


def coldest(readings):
    """Lowest of the readings."""
    return min(readings)


def mean(readings):
    """Sum of the readings divided by how many there are."""
    total = sum(readings)
    return total / len(readings)


def frost_days(readings, limit=FROST):
    """Number of readings below the limit."""
    cold = [value for value in readings if value < limit]
    return len(cold)


def shown(value):
    """The value rounded down to a whole degree."""
    return floor(value)


def forecast_high(value, spread):
    """The value plus the spread, rounded up."""
    return ceil(value + spread)


def newest(readings, n):
    """The last n readings."""
    return readings[-n:]


def alarm(wind, rain):
    """Alarm if either the wind is above 80 or the rain is heavy."""
    return wind > 80 or rain


def station_code(name):
    """Name of the station in upper case, stripped."""
    return name.strip().upper()
