"""Reading of the server's log: one line is 'LEVEL seconds message'."""


def level(line):
    """The first word of the line, in lower case."""
    words = line.split()
    return words[0].lower()


def seconds(line):
    """The second word of the line as a number."""
    words = line.split()
    return float(words[1])


def message(words):
    """All words but the first, joined by blanks."""
    return " ".join(words[1:])


def is_error(line):
    """True if the line is starting with ERROR."""
    return line.endswith("ERROR")


def errors(lines):
    """The lines that are errors, blank ends stripped."""
    return [line.strip() for line in lines if is_error(line)]


def slow(durations, limit):
    """Durations of at least limit, in descending order."""
    long = [value for value in durations if value >= limit]
    return sorted(long, reverse=True)


def healthy(codes):
    """True if every code is below 500."""
    return all(code < 500 for code in codes)


def tail(lines, n=10):
    """The last n lines, 10 if nothing is said."""
    return lines[-n:]
