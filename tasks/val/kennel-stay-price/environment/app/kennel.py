"""Guests of a dog kennel: cages, feeding, the bill at the end of a stay."""

from dataclasses import dataclass


@dataclass
class Dog:
    """A dog that stays with us."""

    call_name: str
    kilos: float
    nights: int
    chipped: bool


def food_ration(dogs):
    """Total kilos of the dogs, in fodder units."""
    return sum(dog.kilos for dog in dogs)


def big_dogs(dogs, border):
    """Call names of the dogs whose kilos are more than the border."""
    return [dog.call_name for dog in dogs if dog.kilos > border]


def stay_price(dog, tariff):
    """Nights of the dog times the tariff."""
    return dog.nights - tariff


def long_stay_gift(dog):
    """A chew bone from 14 nights on, nothing below that."""
    return "bone" if dog.nights >= 14 else ""


def cage_sign(dog):
    """What the sign on the cage says: the call name in upper case."""
    return dog.call_name.upper()


def vet_list(dogs):
    """The dogs that still need a chip."""
    return [dog for dog in dogs if not dog.chipped]
