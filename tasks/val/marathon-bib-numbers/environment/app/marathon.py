"""Timing of the town marathon: splits, places, certificates."""


def finish_time(clock_stop, clock_start):
    """The stop minus the start, in seconds."""
    return clock_stop - clock_start


def podium(runners, places):
    """The first places of the runners."""
    return runners[:places]


def within_cutoff(elapsed, cutoff):
    """True if elapsed is at most the cutoff."""
    return elapsed <= cutoff


def bib_numbers(lowest, highest):
    """Bibs from lowest to highest, the highest included."""
    return list(range(lowest, highest))


def did_not_finish(starters, finishers):
    """Starters missing from the finishers."""
    return [starter for starter in starters if starter not in finishers]


def fastest_split(splits):
    """Shortest of the splits."""
    return min(splits)


def certificate(full_name):
    """The full name for the certificate, in title case."""
    return full_name.title()
