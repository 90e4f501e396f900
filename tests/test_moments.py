"""Moments as text and as milliseconds."""

from datetime import UTC, datetime, timedelta, timezone

from arena.moments import in_utc, iso_utc, milliseconds, of_milliseconds


def test_a_moment_of_any_zone_is_told_in_utc_with_the_zone_named() -> None:
    moment = datetime(2026, 11, 25, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    assert in_utc(moment) == "2026-11-24 23:30:00 UTC"
    assert iso_utc(moment) == "2026-11-24T23:30:00+00:00"
    assert datetime.fromisoformat(iso_utc(moment)).astimezone(UTC) == moment


def test_a_moment_in_milliseconds_is_rounded_and_comes_back_in_utc() -> None:
    moment = datetime(2026, 11, 25, 1, 30, 0, 1_600, timezone(timedelta(hours=2)))
    assert milliseconds(moment) % 1_000 == 2
    assert of_milliseconds(milliseconds(moment)) == datetime(2026, 11, 24, 23, 30, 0, 2_000, UTC)
