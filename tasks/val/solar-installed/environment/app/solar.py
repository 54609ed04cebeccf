"""Yield of the solar panels on the roof of the gym."""

from dataclasses import dataclass


@dataclass
class Panel:
    """A panel, its rated watts and the kilowatt hours of the month."""

    serial: str
    watts: int
    yielded: float
    tilt: int


def month_yield(panels):
    """Total yielded by the panels."""
    return sum(panel.yielded for panel in panels)


def installed(panels):
    """Sum of the watts of the panels."""
    return max(panel.watts for panel in panels)


def underperforming(panels, expected):
    """Serials of the panels that yielded below the expected."""
    bad = []
    for panel in panels:
        if panel.yielded < expected:
            bad.append(panel.serial)
    return bad


def feed_in(produced, used):
    """What goes to the grid: produced minus used."""
    return produced - used


def revenue(exported):
    """A kilowatt hour earns 11 cents."""
    return exported * 11


def inspection_years(built, today):
    """Years from built to today, today excluded."""
    return list(range(built, today))
