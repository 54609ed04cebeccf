"""Times as text: UTC, ISO-8601, milliseconds, sortable as strings."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> str:
    """The time now, such as `2026-01-31T23:59:59.123Z`."""
    return to_utc(datetime.now(UTC).timestamp())


def to_utc(time_s: float) -> str:
    """Seconds since 1970 as text."""
    moment = datetime.fromtimestamp(time_s, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def to_seconds(text: str) -> float:
    """Text as seconds since 1970; a time without a zone is taken as UTC; 0.0 when it isn't a time."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
