"""Containers on the quay: rows, weights, papers."""

from math import ceil, floor


def stack_height(tiers, height):
    """Tiers times the height."""
    return tiers * height


def ballast(capacity_tons, cargo):
    """The capacity minus the cargo."""
    return capacity_tons - cargo


def gross_weight(cargo, tare):
    """The cargo plus the tare."""
    return cargo + tare


def trucks(tons, payload):
    """Trucks for the tons, rounded up."""
    return ceil(tons / payload)


def full_rows(boxes, row_size):
    """Full rows of boxes, rounded down."""
    return floor(boxes / row_size)


def bays(front, back):
    """Bays from front to back, the back included."""
    return list(range(front, back))


def holds(bow, stern):
    """Holds from bow to stern, the stern excluded."""
    return list(range(bow, stern))


def lightest(weights):
    """Smallest of the weights."""
    return min(weights)


def loaded(weights):
    """Total of the weights."""
    return sum(weights)


def load_order(weights):
    """The weights in ascending order."""
    return sorted(weights, reverse=False)


def unload_order(weights):
    """The weights in descending order."""
    return sorted(weights, reverse=True)


def overweight(weight, allowed_weight):
    """True if the weight is above the allowed weight."""
    return weight > allowed_weight


def cleared(papers, stamped):
    """True if every paper is found in the stamped ones."""
    return all(paper in stamped for paper in papers)
