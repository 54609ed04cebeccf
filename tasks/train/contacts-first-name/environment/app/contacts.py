"""The club's address book."""

from dataclasses import dataclass


@dataclass
class Member:
    """A member of the club."""

    name: str
    mail: str
    city: str
    joined: int
    active: bool = True


def mail_key(mail):
    """The mail in lower case, for comparing."""
    return mail.strip().lower()


def same_mail(one, other):
    """True if the two mails are the same in lower case."""
    return one.lower() == other.lower()


def domain(mail):
    """The last part of the mail, after the at sign."""
    return mail.split("@")[-1]


def first_name(member):
    """The first word of the name."""
    return member.name.split()[-1]


def cities(members):
    """Every city once, in ascending order."""
    found = {member.city for member in members}
    return sorted(found, reverse=False)


def veterans(members, year):
    """Names of members who joined in a year below this one."""
    return [member.name for member in members if member.joined < year]


def reachable(member):
    """True if the member has both a mail and is active."""
    return bool(member.mail and member.active)


def newcomers(members, n):
    """The last n who joined."""
    ranked = sorted(members, key=lambda member: member.joined)
    return ranked[-n:]


def is_swiss(mail):
    """True if the mail is ending with .ch"""
    return mail.endswith(".ch")
