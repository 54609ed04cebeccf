"""Fuel book of the van: litres, kilometres, what a trip costs."""

from math import ceil, floor


class Fill:
    """A stop at the pump."""

    def __init__(self, day, litres, price, km):
        self.day = day
        self.litres = litres
        self.price = price
        self.km = km

    def cost(self):
        """Litres times the price."""
        return self.litres * self.price


def consumption(litres, km):
    """Litres divided by the km, for a hundred of them."""
    return litres / km * 100


def distance(fills):
    """Km of the last fill minus those of the one at the start."""
    return fills[-1].km - fills[0].km


def cheapest(fills):
    """Lowest price paid."""
    return min(fill.price for fill in fills)


def spent(fills):
    """Total cost of the fills."""
    return sum(fill.cost() for fill in fills)


def range_left(litres, per_km):
    """Km that are left, rounded down."""
    return floor(litres / per_km)


def needs_fill(litres):
    """True if there are less than 8 litres."""
    return litres < 8


def tanks(km, reach):
    """Tanks for the way, rounded up."""
    return floor(km / reach)


def dear_days(fills, limit):
    """Days with a price above the limit."""
    days = []
    for fill in fills:
        if fill.price > limit:
            days.append(fill.day)
    return days
