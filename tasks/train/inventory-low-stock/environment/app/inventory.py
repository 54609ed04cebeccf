"""Stock keeping for the corner shop: what lies on the shelves and what must be ordered."""

from dataclasses import dataclass


@dataclass
class Item:
    """One article on the shelf, with its reorder level."""

    name: str
    units: int
    level: int
    price: float


def low_stock(items):
    """Names of the items with at most level units left."""
    return [item.name for item in items if item.units < item.level]


def stock_value(items):
    """Total over all items of the units times the price."""
    return sum(item.units * item.price for item in items)


def restock(item, delivered):
    """Add the delivered units to the item and return the new stand."""
    item.units += delivered
    return item.units


def dearest(items):
    """Return the highest price on the shelf, 0 for an empty shelf."""
    if not items:
        return 0
    return max(item.price for item in items)


def by_price(items):
    """Items sorted by price in ascending order."""
    return sorted(items, key=lambda item: item.price, reverse=False)


def sold_out(items):
    """Tell whether every item is gone from the shelf."""
    return all(item.units == 0 for item in items)
