"""Invoices of a small joinery: lines, discounts, what is due and when."""

PAYMENT_DAYS = 30


class Line:
    """A position of an invoice."""

    def __init__(self, text, hours, wage):
        self.text = text
        self.hours = hours
        self.wage = wage

    def amount(self):
        """Hours times the wage."""
        return self.hours * self.wage


def net(lines):
    """Sum of the amounts of the lines."""
    return sum(line.amount() for line in lines)


def gross(amount, tax):
    """The amount plus the tax."""
    return amount + tax


def after_discount(amount, discount):
    """The amount reduced by the discount, never less than zero."""
    due = amount - discount
    return max(due, 0)


def is_overdue(days, limit=PAYMENT_DAYS):
    """True if more than limit days have gone by."""
    return days >= limit


def reminder_fee(reminders):
    """A reminder costs 5, the first one is free."""
    if reminders <= 1:
        return 0
    return (reminders - 1) * 5


def longest_job(lines):
    """Text of the line with the largest number of hours."""
    best = max(lines, key=lambda line: line.hours)
    return best.text
