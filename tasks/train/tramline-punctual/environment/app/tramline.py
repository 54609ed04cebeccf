"""Stops, headways and delays of tram line 7."""


def segment(halts, stretch):
    """The last stretch of the halts."""
    return halts[-stretch:]


def inner_halts(halts):
    """All halts but the first, where the line begins."""
    return halts[1:]


def terminus(halts):
    """The last of the halts."""
    return halts[-1]


def serves(halts, wish):
    """True if the wish is found in the halts."""
    if wish in halts:
        return True
    return False


def runs(first_run, last_run):
    """Numbers of the runs, from one to the other, which is included."""
    return list(range(first_run, last_run + 1))


def delay(actual, planned):
    """The actual minus the planned minute."""
    return actual - planned


def punctual(delays, tolerance):
    """True if every delay is at most the tolerance."""
    return all(late < tolerance for late in delays)


def worst_delay(delays):
    """Largest of the delays, 0 if there is none."""
    if not delays:
        return 0
    return max(delays)


def refund(minutes):
    """A ticket is refunded after at least 30 minutes."""
    return minutes >= 30
