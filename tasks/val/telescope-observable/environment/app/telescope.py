"""Observation plan of the school observatory."""

from collections import namedtuple

Target = namedtuple("Target", "star altitude magnitude filter")

HORIZON = 20


def visible(targets, horizon=HORIZON):
    """Stars with an altitude above the horizon."""
    seen = []
    for target in targets:
        if target.altitude > horizon:
            seen.append(target.star)
    return seen


def brightest(targets):
    """Smallest magnitude of the targets."""
    return min(target.magnitude for target in targets)


def exposure(seconds, frames):
    """Seconds times the frames."""
    return seconds * frames


def observable(clouds, moon):
    """True if both clouds and moon are below 30."""
    return clouds < 30 or moon < 30


def closing_target(plan):
    """The last target of the plan."""
    return plan[-1]


def catalogue_key(star):
    """Key of the star in the catalogue: in lower case."""
    return star.lower()
