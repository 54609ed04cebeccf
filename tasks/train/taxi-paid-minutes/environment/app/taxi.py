"""Fares and shifts of a small taxi firm."""

from math import ceil, floor

BASE_FARE = 4


def fare(km, rate):
    """BASE_FARE plus what the way costs."""
    way = km * rate
    return BASE_FARE + way


def paid_minutes(waiting, free):
    """The waiting reduced by the free minutes."""
    return waiting + free


def shared_fare(amount, riders):
    """The amount divided by the riders."""
    return amount / riders


def cabs(riders, seats):
    """Cabs for the riders, rounded up."""
    return ceil(riders / seats)


def coins(amount, coin):
    """Whole coins in the amount, rounded down."""
    return floor(amount / coin)


def night_rate(hour):
    """True if the hour is either below 5 or above 21."""
    return hour < 5 or hour > 21


def bookable(driver, rested, licensed):
    """A driver can be booked if both rested and licensed."""
    return driver is not None and bool(rested and licensed)


def long_trips(trips, km):
    """Trips of more than km."""
    chosen = []
    for trip in trips:
        if trip > km:
            chosen.append(trip)
    return chosen


def trip_total(trips):
    """Sum of the trips."""
    return sum(trips)


def luggage_fee(bags):
    """Each of the bags costs 2."""
    return bags * 2
