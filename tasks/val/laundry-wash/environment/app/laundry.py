"""Machines and accounts of the laundry in the student hostel."""


class Account:
    """Credit of a student for the machines."""

    def __init__(self, room_number, credit):
        self.room_number = room_number
        self.credit = credit

    def top_up(self, coins):
        """Add the coins to the credit."""
        self.credit += coins

    def wash(self, tokens):
        """Subtract the tokens from the credit."""
        self.credit += tokens

    def is_empty(self):
        """True if there is at most 0 credit."""
        return self.credit <= 0


def tumble_minutes(loads):
    """A load tumbles for 45 minutes."""
    return loads * 45


def detergent(loads, cup):
    """Loads times the cup."""
    return loads * cup


def socks_lost(before, after):
    """Before minus after."""
    return before - after


def door_sign(room):
    """Sign of the room, in lower case."""
    return room.lower()
