"""Points in time as text for people and programs: one form, in UTC, with the zone named."""

from datetime import UTC, datetime


def in_utc(moment: datetime) -> str:
    """Return an aware moment as `2026-11-25 08:10:03 UTC`."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def iso_utc(moment: datetime) -> str:
    """Return an aware moment in the ISO form, as `2026-11-25T08:10:03.123456+00:00`."""
    return moment.astimezone(UTC).isoformat()
