"""Conversion of rows to events, entries and finalists."""

from typing import Any

from sqlalchemy import Row as SqlRow

from arena.match.transcript import Entrant
from arena.records import Registered, VersionId
from arena.server.events.event import (
    Admission,
    Dates,
    EntryLimits,
    Event,
    EventEntry,
    EventId,
    Finalist,
    FinalRules,
    LadderRules,
    NewEvent,
)
from arena.server.tournaments.tournament_rows import rules_fields


def event(row: SqlRow[Any]) -> Event:
    """Return the event of a row of `event_list`."""
    rules = FinalRules(**rules_fields(row))
    admission = Admission.CODE if row.needs_code else Admission.OPEN
    if row.roster_only:
        admission = Admission.ROSTER
    limits = EntryLimits(row.most_members, row.most_builds, row.most_bots)
    dates = Dates(row.opens_at, row.freezes_at, row.final_at, row.results_at)
    ladder = None
    if row.ladder_house is not None:
        ladder = LadderRules(tuple(row.ladder_house), row.ladder_pace, row.ladder_enough)
    return Event(
        EventId(row.id),
        row.name,
        NewEvent(
            *(row.title, row.text, rules, dates, admission, row.practice, limits, row.live),
            *(ladder, row.private, row.connected),
        ),
        bytes(row.commitment),
        row.entries,
        row.frozen_at,
        row.began_at,
        row.ended_at,
        row.released_at,
        row.cancelled_at,
        row.why_cancelled,
        None if row.seed is None else bytes(row.seed),
        row.tournament,
    )


def entry(row: SqlRow[Any]) -> EventEntry:
    """Return the entry of a row of `entries_of`."""
    sha256 = None if row.sha256 is None else bytes(row.sha256)
    return EventEntry(
        row.bot, row.owner, row.team, row.entered_at, row.version, sha256, row.withdrawn
    )


def finalist(row: SqlRow[Any]) -> Finalist:
    """Return the finalist of a row of `finalists`, or of `seen_finalists`, without a file name."""
    registered = Registered(
        VersionId(row.version_id), Entrant(row.bot, row.version, row.owner), row.house
    )
    sha256 = None if row.sha256 is None else bytes(row.sha256)
    return Finalist(registered, sha256, row._mapping.get("file_name") or "", row.withdrawn)
