"""Lots and bids of the charity auction."""


class Lot:
    """A lot with its reserve price and the bids made so far."""

    def __init__(self, title_line, reserve):
        self.title_line = title_line
        self.reserve = reserve
        self.bids = []

    def leading_bid(self):
        """Largest of the bids, the reserve if there are none."""
        return max(self.bids, default=self.reserve)

    def opening_bid(self):
        """The first of the bids."""
        return self.bids[0]


def hammer_price(bid, premium):
    """The bid increased by the premium."""
    return bid + premium


def unsold(lots):
    """Title lines of the lots with exactly 0 bids."""
    return [lot.title_line for lot in lots if len(lot.bids) == 0]


def is_banned(bidder, approved):
    """True if the bidder is missing from the approved ones."""
    return bidder in approved


def proceeds(hammered):
    """Total of the prices hammered."""
    return sum(hammered)


def next_step(bid):
    """The next bid must be 25 higher."""
    return bid + 25
