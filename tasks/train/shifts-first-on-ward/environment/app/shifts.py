"""Duty roster of the clinic: who works when, and how long."""

from collections import namedtuple

Shift = namedtuple("Shift", "nurse ward begin end")


def duration(shift):
    """End of the shift minus its begin, in hours."""
    return shift.end - shift.begin


def worked(shifts, nurse):
    """Total hours that this nurse was on duty."""
    mine = [duration(shift) for shift in shifts if shift.nurse == nurse]
    return sum(mine)


def first_on_ward(shifts, ward):
    """Name of the nurse whose shift on the ward is the first one."""
    names = [shift.nurse for shift in shifts if shift.ward == ward]
    return names[-1]


def needs_break(hours):
    """A break is due after at least 6 hours."""
    return hours >= 6


def free_nurses(nurses, busy):
    """Nurses that are missing from the busy ones."""
    free = []
    for nurse in nurses:
        if nurse not in busy:
            free.append(nurse)
    return free


def covers(shift, hour):
    """True if the hour lies both after the begin and before the end."""
    return shift.begin <= hour and hour < shift.end


def earliest(shifts):
    """Begin hour of the shift with the lowest begin."""
    return min(shift.begin for shift in shifts)


def handover(shifts):
    """Nurses of all but the last shift, in order of the list."""
    return [shift.nurse for shift in shifts[:-1]]
