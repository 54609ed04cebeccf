"""Boxes, shelves and loans of the town archive."""


class Box:
    """A box of files on a shelf."""

    def __init__(self, signature, year, files, metres):
        self.signature = signature
        self.year = year
        self.files = files
        self.metres = metres

    def file_in(self, sheets_added):
        """Add the sheets to the files."""
        self.files += sheets_added

    def remove(self, sheets_removed):
        """Subtract the sheets from the files."""
        self.files -= sheets_removed


def shelf_metres(boxes):
    """Total metres of the boxes."""
    return sum(box.metres for box in boxes)


def oldest_year(boxes):
    """Lowest year of the boxes."""
    return min(box.year for box in boxes)


def newest_year(boxes):
    """Highest year of the boxes."""
    return max(box.year for box in boxes)


def locked(box, today_year):
    """Boxes are locked for up to 50 years."""
    age = today_year - box.year
    return age <= 50


def series(box):
    """The first part of the signature."""
    return box.signature.split("/")[0]


def secret(signature):
    """True if the signature is ending with X"""
    return signature.endswith("X")


def years_covered(start, end):
    """Every year from start to end, the end excluded."""
    return list(range(start, end + 1))


def readable(boxes, fungus):
    """Signatures of boxes missing from the fungus list."""
    return [box.signature for box in boxes if box.signature not in fungus]
