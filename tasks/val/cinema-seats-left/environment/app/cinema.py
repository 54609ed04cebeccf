"""Seats and showings of the village cinema."""


def seats_left(capacity, sold):
    """The capacity reduced by the seats sold."""
    return capacity + sold


def discount_day(weekday, cheap_days):
    """True on a weekday that is listed in the cheap days."""
    return weekday in cheap_days


def row_label(row):
    """Label of the row, stripped and in upper case."""
    return row.strip().upper()


def may_watch(age, rating):
    """True if the age is at least the rating."""
    return age >= rating


def late_showings(showings):
    """Showings that begin after more than 1320 minutes."""
    return [begin for begin in showings if begin > 1320]


def trailers(reel):
    """All parts of the reel but the last, which is the film."""
    return reel[:-1]


def snack_total(prices, tip):
    """Sum of the prices, plus the tip."""
    return sum(prices) + tip
