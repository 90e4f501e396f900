"""Current data of events for the pages, read through `data`.

Of a final that is neither released nor live there is nothing to read: the pages' role does not see
its tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import streamlit as st

from arena.server.events import event_rows as rows
from arena.server.events import event_statements as statements
from arena.server.events.event import Event, EventEntry, Phase
from arena.server.events.standings import FinalLine, standings
from arena.server.notices import notice_statements
from arena_dashboard import data, tournament_data

KEPT_SECONDS = 4.0


@dataclass(frozen=True, slots=True)
class EventView:
    """An event as it stands."""

    event: Event
    phase: Phase
    entries: Sequence[EventEntry]
    """By the time of entry."""
    now: datetime
    """The time of the database when it was read."""


def newest() -> list[EventView]:
    """Return the newest events, without their entries."""
    found = [(rows.event(row), row.now) for row in data.read(statements.event_list())]
    return [EventView(event, event.phase(now), (), now) for event, now in found]


def named(name: str) -> EventView | None:
    """Return an event; None if there is none of that name. Not to be changed."""
    return _named(data.database_url(), name)


def results(event: Event) -> Sequence[FinalLine]:
    """Return the standings of the final, nothing before they are released. Not to be changed."""
    if event.released_at is None or event.tournament is None:
        return ()
    return _results(data.database_url(), event.tournament)


def notices(event: Event) -> Sequence[Any]:
    """Return the notices of an event: rows of `notice_statements.notices_of_event`."""
    return data.read(notice_statements.notices_of_event(event.id))


Mark = tuple[Phase, str | None, tuple[tuple[str, str, bool, bool], ...], tuple[datetime, ...]]
"""The value that changes from one moment of an event to the next."""


def mark(found: EventView) -> Mark:
    """Return the mark of what was read."""
    dates = found.event.said.dates
    entered = tuple(
        (one.bot, one.team, one.withdrawn, one.sha256 is not None) for one in found.entries
    )
    moments = (dates.opens, dates.freezes, dates.final, dates.results)
    return found.phase, found.event.tournament, entered, moments


def current_mark(name: str) -> Mark | None:
    """Return the mark of the event as it stands, at most some seconds old."""
    found = named(name)
    return None if found is None else mark(found)


@st.cache_resource(max_entries=100, show_spinner=False)  # what is released does not change
def _results(url: str | None, tournament: str) -> Sequence[FinalLine]:
    del url  # tells one database's events from another's
    final = tournament_data.tournament_view(tournament)
    return () if final is None else standings(final.record)


@st.cache_resource(ttl=KEPT_SECONDS, max_entries=100, show_spinner=False)
def _named(url: str | None, name: str) -> EventView | None:
    del url  # tells one database's events from another's
    for row in data.read(statements.event_list(name=name)):
        event = rows.event(row)
        entries = [rows.entry(one) for one in data.read(statements.entries_of(event.id))]
        return EventView(event, event.phase(row.now), entries, row.now)
    return None
