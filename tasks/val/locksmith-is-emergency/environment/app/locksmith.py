"""Key numbers, cylinders and call-outs of a locksmith."""


def master_keys(codes):
    """Codes that are starting with M0"""
    return [code for code in codes if code.startswith("M0")]


def blank_profile(code):
    """The profile is the last character of the code."""
    return code[-1]


def callout(distance_km, hourly):
    """The distance plus the hourly fee."""
    return distance_km + hourly


def is_emergency(clock_hour):
    """True at night: either below 6 or at least 22."""
    return clock_hour < 6 and clock_hour >= 22


def spare_keys(doors, tenants):
    """Doors times the tenants."""
    return doors * tenants


def warranty(months):
    """True if at most 24 months have passed."""
    return months <= 24
