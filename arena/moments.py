"""Conversion of times: to text for people and programs, in UTC; to and from milliseconds."""

from datetime import UTC, datetime, timedelta


def in_utc(moment: datetime) -> str:
    """Return an aware moment as `2026-11-25 08:10:03 UTC`."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def utc_or_never(moment: datetime | None) -> str:
    """Return an aware moment as `in_utc` does, "never" for None."""
    return "never" if moment is None else in_utc(moment)


def iso_utc(moment: datetime) -> str:
    """Return an aware moment in the ISO form, as `2026-11-25T08:10:03.123456+00:00`."""
    return moment.astimezone(UTC).isoformat()


def milliseconds(moment: datetime) -> int:
    """Return an aware moment in milliseconds since 1970."""
    return round(moment.timestamp() * 1000)


def of_milliseconds(count: int) -> datetime:
    """Return the moment that is `count` milliseconds after 1970 began, in UTC.

    Raises ValueError, OverflowError or OSError if `datetime` cannot express it.
    """
    return datetime.fromtimestamp(count / 1000, UTC)


def in_words(duration: timedelta) -> str:
    """Return a duration in its two largest units, as `2 days 3 h`, `3 h 5 min` or `40 s`."""
    seconds = max(0, round(duration.total_seconds()))
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86_400
    if days:
        named = "1 day" if days == 1 else f"{days} days"
        return f"{named} {hours % 24} h" if hours % 24 else named
    if hours:
        return f"{hours} h {minutes % 60} min" if minutes % 60 else f"{hours} h"
    return f"{minutes} min" if minutes >= 2 else f"{seconds} s"
