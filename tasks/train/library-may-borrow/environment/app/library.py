"""Loans of the town library."""

LOAN_DAYS = 28


class Loan:
    """A book lent to a reader on a day of the year."""

    def __init__(self, title, reader, day):
        self.title = title
        self.reader = reader
        self.day = day

    def due(self):
        """Day of the loan plus the loan days."""
        return self.day + LOAN_DAYS

    def is_late(self, today):
        """True if today is above the day it is due."""
        return today > self.due()


def fine(days, rate):
    """Days late times the rate, and at most 20."""
    return min(days * rate, 20)


def titles(loans, reader):
    """Titles that the reader holds, in ascending order."""
    held = [loan.title for loan in loans if loan.reader == reader]
    return sorted(held, reverse=False)


def next_title(queue):
    """The first title of the queue, None if it is empty."""
    if not queue:
        return None
    return queue[0]


def shelf_mark(author):
    """The first 3 letters of the author, in upper case."""
    return author[:3].upper()


def returned(loans, title):
    """Loans with a title other than this one."""
    return [loan for loan in loans if loan.title != title]


def waiting(queue):
    """Number of readers behind the first one of the queue."""
    return len(queue[1:])


def may_borrow(books, fines):
    """True if the books are less than 5 and there are no fines."""
    return books <= 5 and not fines
