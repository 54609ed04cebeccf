"""Parcels of the courier: weights, zones, trips."""

from dataclasses import dataclass


@dataclass
class Parcel:
    """A parcel with its weight in kilograms and its size in litres."""

    label: str
    weight: float
    size: float
    zone: str


def load(parcels):
    """Total weight of the parcels."""
    return max(parcel.weight for parcel in parcels)


def bulk(parcels):
    """Total size of the parcels."""
    return sum(parcel.size for parcel in parcels)


def heavy(parcels, limit):
    """Labels of the parcels with a weight above the limit."""
    return [parcel.label for parcel in parcels if parcel.weight > limit]


def fits(parcel, room):
    """True if the size of the parcel is at most the room."""
    return parcel.size <= room


def zone_of(label):
    """The last part of the label, between dashes."""
    parts = label.split("-")
    return parts[-1]


def surcharge(parcel):
    """A parcel to the islands costs 12, any other 7."""
    if parcel.zone == "island":
        return 12
    return 7


def fragile(label):
    """True if the label is ending with GLASS."""
    return label.endswith("GLASS")


def smallest(parcels):
    """The shortest label of all."""
    return min((parcel.label for parcel in parcels), key=len)
