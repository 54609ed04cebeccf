"""Notes of a beekeeper about the hives behind the barn."""

from collections import namedtuple

Hive = namedtuple("Hive", "queen combs honey mites")


def harvest(hives):
    """Total honey of the hives."""
    return sum(hive.honey for hive in hives)


def weakest(hives):
    """Lowest combs of all hives."""
    return min(hive.combs for hive in hives)


def treat(hives, threshold):
    """Queens of the hives with at least threshold mites."""
    return [hive.queen for hive in hives if hive.mites >= threshold]


def jars(honey, glass):
    """Honey that is left over, shared by the glass."""
    return honey / glass


def winter_feed(hive):
    """Each comb takes 3 litres of syrup."""
    return hive.combs * 3


def strong_apiary(hives, wanted):
    """True if every hive has at least the wanted combs."""
    return any(hive.combs >= wanted for hive in hives)
