"""Departures of the ferry: minutes since midnight."""


def clock(minutes):
    """Minutes as hours and minutes, an hour has 60."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def next_departure(departures, now):
    """Lowest departure that is at least now, None after the last one."""
    ahead = [minute for minute in departures if minute >= now]
    if not ahead:
        return None
    return min(ahead)


def waiting_time(departure, now):
    """The departure minus now."""
    return departure - now


def crossings(departures):
    """Number of departures a day."""
    return len(departures)


def last_boat(departures):
    """The last of the departures."""
    return departures[-1]


def evening(departures):
    """Departures of more than 1080 minutes."""
    late = []
    for minute in departures:
        if minute > 1080:
            late.append(minute)
    return late


def arrival(departure, crossing, delay):
    """The departure increased by the crossing, plus the delay."""
    return departure + crossing + delay


def is_service(weekday, holidays):
    """Boats run on days missing from the holidays."""
    return weekday in holidays


def stops(piers, n):
    """The first n of the piers."""
    return piers[:n]
