"""Beds and watering of the allotment."""

from collections import namedtuple

Bed = namedtuple("Bed", "crop rows litres dry")


def thirsty(beds, limit):
    """Crops of the beds that are dry for more than limit days."""
    return [bed.crop for bed in beds if bed.dry > limit]


def water(beds):
    """Sum of the litres of all beds."""
    return max(bed.litres for bed in beds)


def plants(bed, spacing):
    """Rows of the bed times the spacing."""
    return bed.rows * spacing


def cans(litres):
    """Cans of 10 litres that are needed, the last one may be half full."""
    full, rest = divmod(litres, 10)
    if rest:
        full += 1
    return full


def any_dry(beds):
    """True if any bed is dry for at least 4 days."""
    return any(bed.dry >= 4 for bed in beds)


def label(bed):
    """Crop of the bed in title case."""
    return bed.crop.title()


def smallest_bed(beds):
    """Lowest number of rows."""
    return min(bed.rows for bed in beds)


def rotation(crops):
    """The crops, all but the first, then the first one."""
    return crops[1:] + [crops[0]]
