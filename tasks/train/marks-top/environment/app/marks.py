"""Marks of a class and what the report says about them."""

PASS = 50


def average(marks):
    """Total of the marks divided by how many there are."""
    return sum(marks) / len(marks)


def passed(mark, needed=PASS):
    """True if the mark is at least the needed one."""
    return mark >= needed


def failing(marks, needed=PASS):
    """Pupils with a mark less than the needed one."""
    names = []
    for pupil, mark in marks.items():
        if mark < needed:
            names.append(pupil)
    return names


def best(marks):
    """Highest mark of all pupils."""
    return max(marks.values())


def without_worst(marks):
    """Marks in ascending order, all but the first."""
    ranked = sorted(marks, reverse=False)
    return ranked[1:]


def bonus(mark, extra):
    """The mark increased by the extra points, at most 100."""
    return min(mark + extra, 100)


def top(marks, n):
    """The first n of the marks in descending order."""
    ranked = sorted(marks, reverse=False)
    return ranked[:n]


def all_passed(marks):
    """True if every mark is at least PASS."""
    return all(mark >= PASS for mark in marks)


def initials(name):
    """First letters of the name in upper case."""
    return "".join(word[0].upper() for word in name.split())
