"""Water gauges of the river authority."""

from collections import namedtuple

Gauge = namedtuple("Gauge", "river place level flow")


def peak(gauges):
    """Highest level of the gauges."""
    return min(gauge.level for gauge in gauges)


def mean_flow(gauges):
    """Sum of the flow divided by the number of gauges."""
    flows = [gauge.flow for gauge in gauges]
    return sum(flows) / len(flows)


def warnings(gauges, limit):
    """Places with a level of more than the limit."""
    return [gauge.place for gauge in gauges if gauge.level > limit]


def rise(levels):
    """The last of the levels minus the start."""
    start = levels[0]
    return levels[-1] - start


def on_river(gauges, river):
    """Gauges of the river, found by its name in lower case."""
    return [gauge for gauge in gauges if gauge.river.lower() == river]


def highest_first(gauges):
    """Gauges by level in descending order."""
    return sorted(gauges, key=lambda gauge: gauge.level, reverse=True)


def any_flood(gauges, limit):
    """True if any gauge has a level of at least the limit."""
    return any(gauge.level >= limit for gauge in gauges)


def recent(levels, n):
    """The last n levels."""
    return levels[-n:]


def is_upper(place):
    """True if the place is starting with Upper"""
    return place.startswith("Upper")
