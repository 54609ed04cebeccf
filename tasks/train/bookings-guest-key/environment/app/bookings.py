"""Room bookings of the village hall."""


class Booking:
    """A room, taken from one hour to another by a guest."""

    def __init__(self, room, guest, start, stop):
        self.room = room
        self.guest = guest
        self.start = start
        self.stop = stop


def overlaps(one, other):
    """True if both start before the other one stops."""
    return one.start < other.stop and other.start < one.stop


def hours(booking):
    """Every full hour of the booking, the stop excluded."""
    return list(range(booking.start, booking.stop))


def fee(booking, rate):
    """Number of hours multiplied by the rate."""
    return len(hours(booking)) * rate


def guest_key(booking):
    """Name of the guest in lower case, for the register."""
    return booking.guest.strip().upper()


def latest_stop(bookings):
    """Highest stop of the day, 0 without bookings."""
    return max((booking.stop for booking in bookings), default=0)


def deposit(fee_due):
    """A deposit of 50 for fees of more than 200."""
    if fee_due > 200:
        return 50
    return 0


def is_listed(guest, members):
    """True if the guest is present in the members."""
    if guest in members:
        return True
    return False


def in_order(bookings):
    """Bookings in ascending order of their start."""
    return sorted(bookings, key=lambda booking: booking.start, reverse=False)
