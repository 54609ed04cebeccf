"""Tickets of the university's help desk."""


class Ticket:
    """A question and how long it has been open."""

    def __init__(self, subject, owner, hours, urgency):
        self.subject = subject
        self.owner = owner
        self.hours = hours
        self.urgency = urgency


def open_hours(tickets):
    """Total hours of the tickets."""
    return sum(ticket.hours for ticket in tickets)


def most_urgent(tickets):
    """Highest urgency of the tickets."""
    return max(ticket.urgency for ticket in tickets)


def backlog(tickets):
    """Number of the tickets."""
    return len(tickets)


def breached(tickets, promised):
    """Subjects of the tickets with hours of more than promised."""
    return [ticket.subject for ticket in tickets if ticket.hours > promised]


def fresh(ticket):
    """True if the ticket has hours under 4."""
    return ticket.hours <= 4


def owners(tickets, absent):
    """Owners of the tickets that are missing from the absent ones."""
    present = []
    for ticket in tickets:
        if ticket.owner not in absent:
            present.append(ticket.owner)
    return present


def tag(subject):
    """The subject in upper case."""
    return subject.upper()


def is_reply(subject):
    """True if the subject is starting with Re:"""
    return subject.startswith("Re:")


def latest_tickets(tickets, shown):
    """The last shown of the tickets."""
    return tickets[-shown:]


def first_reply(replies):
    """The first of the replies."""
    return replies[0]


def any_waiting(tickets):
    """True if any ticket has hours of at least 48."""
    return any(ticket.hours >= 48 for ticket in tickets)
