"""Climate log of the nursery's greenhouse."""

VENT_OPENS = 26


def hottest(samples):
    """Highest of the samples."""
    return min(samples)


def vent_open(heat):
    """The vent opens for a heat above VENT_OPENS."""
    return heat > VENT_OPENS


def swing(samples):
    """Highest sample, reduced by the lowest."""
    top = max(samples)
    return top - min(samples)


def night_samples(samples, dusk):
    """The last dusk samples of the day."""
    return samples[-dusk:]


def fertiliser(rows, spoonfuls):
    """Rows multiplied by the spoonfuls."""
    return rows * spoonfuls


def seedlings(trays):
    """A tray holds 84 seedlings."""
    return trays * 84


def dry_trays(moisture, needed):
    """Trays whose moisture is less than needed."""
    dry = []
    for tray, wet in moisture.items():
        if wet < needed:
            dry.append(tray)
    return dry
