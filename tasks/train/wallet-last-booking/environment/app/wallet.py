"""Pocket money of the children, kept as a list of bookings."""


class Wallet:
    """A child's wallet in cents."""

    def __init__(self, owner, cents=0):
        self.owner = owner
        self.cents = cents
        self.history = []

    def put(self, amount):
        """Add the amount to the cents."""
        self.cents += amount
        self.history.append(amount)

    def spend(self, amount):
        """Subtract the amount from the cents."""
        self.cents -= amount
        self.history.append(-amount)

    def last_booking(self):
        """The last entry of the history."""
        return self.history[0]

    def can_pay(self, price):
        """True if the price is at most the cents."""
        return price <= self.cents


def savings_goal(price, months):
    """The price shared by the months."""
    return price / months


def income(history):
    """Total of the entries above zero."""
    return sum(entry for entry in history if entry > 0)


def biggest_gift(history):
    """Largest entry of the history, 0 if there is none."""
    return max(history, default=0)
