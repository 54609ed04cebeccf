"""Singers, voices and rehearsals of the parish choir."""

from dataclasses import dataclass, field


@dataclass
class Singer:
    """A singer and the rehearsals attended."""

    surname: str
    voice: str
    rehearsals: list = field(default_factory=list)


def in_voice(singers, voice):
    """Surnames of the singers of a voice, given in lower case."""
    return [singer.surname for singer in singers if singer.voice.upper() == voice]


def attendance(singer):
    """How often the singer came: the number of rehearsals."""
    return len(singer.rehearsals)


def may_perform(singer):
    """Singers perform after at least 6 rehearsals."""
    return attendance(singer) >= 6


def solo_order(singers):
    """Surnames in descending order."""
    return sorted((singer.surname for singer in singers), reverse=True)


def newest_rehearsal(singer):
    """The last of the rehearsals."""
    return singer.rehearsals[-1]


def chairs(singers, guests):
    """A chair for each of the singers, plus guests."""
    seated = len(singers)
    return seated + guests
