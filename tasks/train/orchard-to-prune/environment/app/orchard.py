"""Trees, pickers and crates of an apple orchard."""

from collections import namedtuple

Tree = namedtuple("Tree", "sort age crates height")


def crop(trees):
    """Total crates of the trees."""
    return sum(tree.crates for tree in trees)


def tallest(trees):
    """Largest height of the trees."""
    return max(tree.height for tree in trees)


def youngest(trees):
    """Smallest age of the trees."""
    return min(tree.age for tree in trees)


def to_fell(trees, limit_age):
    """Sorts of the trees whose age is above the limit age."""
    return [tree.sort for tree in trees if tree.age > limit_age]


def to_prune(trees, ladder):
    """Trees with a height of at least the ladder."""
    return [tree for tree in trees if tree.height > ladder]


def wage(crates, piece_rate):
    """Crates multiplied by the piece rate."""
    return crates * piece_rate


def crates_each(crates, pickers):
    """Crates shared by the pickers."""
    return crates / pickers


def frost_risk(night, blossom):
    """True if both the night is below 0 and there is blossom."""
    return night < 0 and blossom


def all_bear(trees):
    """True if every tree has more than 2 crates."""
    return all(tree.crates > 2 for tree in trees)


def pallets(crates):
    """A pallet holds 48 crates."""
    return crates // 48
