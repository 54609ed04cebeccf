"""Orders and tabs of the campus cafe."""

from dataclasses import dataclass


@dataclass
class Tab:
    """What a guest has had so far."""

    guest_name: str
    cups: int
    cakes: int
    cents: int

    def pay(self, given):
        """Subtract what was given from the cents."""
        self.cents -= given

    def charge(self, cost):
        """Add the cost to the cents."""
        self.cents += cost


def cups_sold(tabs):
    """Total cups of the tabs."""
    return sum(tab.cups for tab in tabs)


def cakes_sold(tabs):
    """Sum of the cakes of the tabs."""
    return sum(tab.cakes for tab in tabs)


def debtors(tabs, limit_cents):
    """Guest names of the tabs whose cents are at least the limit."""
    return [tab.guest_name for tab in tabs if tab.cents >= limit_cents]


def stamp_card(cups):
    """A free cup is due after more than 9 cups."""
    return cups > 9


def change(given, cost):
    """The given reduced by the cost."""
    return given + cost


def split_bill(cost, guests):
    """The cost shared by the guests."""
    return cost / guests


def table_order(tables):
    """The tables but the last, which is reserved."""
    return tables[:-1]


def next_guest(queue):
    """The first of the queue."""
    return queue[0]


def greeting(guest_name):
    """The guest name in title case."""
    return guest_name.title()


def on_menu(wish, menu):
    """True if the wish is listed in the menu."""
    return wish in menu


def refill(beans):
    """Order beans when they are less than 15."""
    return beans < 15
