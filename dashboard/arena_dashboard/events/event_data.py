"""Current data of events for the pages, read through `data`.

The database hides from the pages' role the rows of private events and of finals that are neither
released nor live. A member of a private event reads it by the member's id (`viewer`); its matches
and ratings come from the referee, which is called with the member's key.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import streamlit as st
from sqlalchemy import select

from arena.clients.event_client import EventClient, EventMatch, EventRating, EventSeen
from arena.clients.organiser_client import ParticipantSeen
from arena.database.names import folded
from arena.database.rows import MatchRow
from arena.database.statement import Row
from arena.database.tables.owners import owners
from arena.database.viewing import seen_by
from arena.lab.analysis import AnalysedDecision
from arena.match.transcript_json import to_json
from arena.rating.ladder_id import LadderId
from arena.server.boards.board import table_sizes
from arena.server.events import event_rows as rows
from arena.server.events import event_statements as statements
from arena.server.events.event import Event, EventEntry, Phase, SignedEvent
from arena.server.events.finals import final_statements
from arena.server.events.finals.final import DrawnFinal
from arena.server.events.finals.final_reading import record_of
from arena.server.events.finals.standings import FinalLine, standings
from arena.server.notices import notice_statements
from arena.server.results.kept_analyses import kept_decisions
from arena.server.results.match_search import MatchFilter
from arena.server.results.match_sort import Sort
from arena_dashboard.reading import data
from arena_dashboard.reading.frames import match_json, packed
from arena_dashboard.reading.watching import parse_viewpoint, watch
from arena_dashboard.tournaments import tournament_data
from arena_dashboard.tournaments.tournament_data import TournamentView

Ratings = Mapping[tuple[str, str], float]
"""Elo by bot and version."""
KEPT_SECONDS = 4.0
ANALYSED = 500
"""The latest matches of a final that are searched for kept analyses."""
CLOSEST = 3
BEST_SECONDS = 60.0
"""How long the best matches are cached; not for good, as analyses may be added."""
ASKED_SECONDS = 15.0
"""How long an answer of the referee is cached."""


@dataclass(frozen=True, slots=True)
class EventView:
    """The current state of an event."""

    event: Event
    phase: Phase
    entries: Sequence[EventEntry]
    """Sorted by the time of entry."""
    now: datetime
    """The time of the database when it was read."""

    @property
    def is_overdue(self) -> bool:
        """Whether the results are due while the final is still played."""
        return self.phase is Phase.FINAL and self.now >= self.event.terms.dates.results


@dataclass(frozen=True, slots=True)
class BestMatches:
    """The matches of a final that are worth a look."""

    costliest: tuple[MatchRow, AnalysedDecision] | None
    """The decision that lost most chance to win, among the kept analyses of the latest ANALYSED
    matches; None if they have none."""
    closest: Sequence[MatchRow]
    """The matches with the fewest points between the best two."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A match of an event, in the forms that its page needs."""

    shown: Mapping[str, Any]
    """As in `frames.match_json`."""
    content: bytes
    """The packed match for the player component."""
    transcript: str
    """JSON, as `arena verify` reads it."""


def viewer(owner: str | None) -> int | None:
    """Return the id of the owner who views a page; None reads what everybody may see."""
    if owner is None:
        return None
    found = data.read(select(owners.c.id).where(owners.c.folded == folded(owner)))
    return found[0].id if found else None


def newest(viewer: int | None = None) -> list[EventView]:
    """Return the newest events, without their entries."""
    listed = data.read(seen_by(viewer, statements.event_list()))
    found = [(rows.event(row), row.now) for row in listed]
    return [EventView(event, event.phase(now), (), now) for event, now in found]


@st.cache_resource(ttl=KEPT_SECONDS, max_entries=100, show_spinner=False)
def named(name: str, viewer: int | None) -> EventView | None:
    """Return an event; None if there is none of that name. Cached: do not change the result."""
    for row in data.read(seen_by(viewer, statements.event_list(name=name))):
        event = rows.event(row)
        entered = data.read(seen_by(viewer, statements.entries_of(event.id)))
        entries = [rows.entry(one) for one in entered]
        return EventView(event, event.phase(row.now), entries, row.now)
    return None


def final(event: Event, viewer: int | None = None) -> TournamentView | None:
    """Return the final of a released event, else None. Cached: do not change the result."""
    if event.released_at is None:
        return None
    if event.tournament is not None:
        return tournament_data.finished_view(event.tournament)
    return _private_final(event.id, viewer, event)


def results(event: Event, viewer: int | None = None) -> Sequence[FinalLine]:
    """Return the standings of a released final, else none. Cached: do not change the result."""
    if event.released_at is None:
        return ()
    return _results(event.id, viewer, event)


@st.cache_resource(ttl=ASKED_SECONDS, max_entries=100, show_spinner=False)
def ladder(_client: EventClient, event: str, key: str) -> Sequence[EventRating]:
    """Return the standings on the ladder of an event. Raises OwnerCallError."""
    return _client.ladder(event, key=key)


@st.cache_resource(ttl=ASKED_SECONDS, max_entries=100, show_spinner=False)
def matches(_client: EventClient, event: str, key: str, *, final: bool) -> Sequence[EventMatch]:
    """Return the newest matches on the ladder of an event, or of its private final.

    Raises OwnerCallError.
    """
    return _client.event_matches(event, final=final, key=key)


@st.cache_resource(ttl=ASKED_SECONDS, max_entries=100, show_spinner=False)
def replay(_client: EventClient, event: str, match_id: str, key: str, view: str) -> Replay:
    """Return a match of an event for the player, from a viewpoint. Raises OwnerCallError."""
    transcript = _client.event_transcript(event, match_id, key=key)
    seats = len(transcript.setup.entrants)
    shown = match_json(watch(transcript, parse_viewpoint(view, seats)))
    neighbours = {"previous": None, "next": None}
    written = json.dumps(to_json(transcript), ensure_ascii=False, indent=1)
    return Replay(shown, packed({**shown, **neighbours}), written)


def archive(event: Event) -> SignedEvent | None:
    """Return the signed event.json of a released event's archive; None before its release."""
    for row in data.reader().once(statements.archive_of(event.id)):
        return SignedEvent(bytes(row.text), bytes(row.signature))
    return None


@st.cache_resource(ttl=BEST_SECONDS, max_entries=20, show_spinner=False)
def best_matches(tournament: str) -> BestMatches:
    """Return the matches of a final that are worth a look. Cached: do not change the result."""
    wanted = MatchFilter(tournament=tournament)
    found = {row.match_id: row for row in data.find_matches(wanted, limit=ANALYSED)}
    valued = (
        (found[match_id], one)
        for match_id, decisions in kept_decisions(data.reader().once, list(found)).items()
        for one in decisions
        if one.loss and not one.forced
    )
    costliest = max(valued, key=lambda one: one[1].loss or 0.0, default=None)
    closest = data.find_matches(wanted, sort=Sort.CLOSEST, limit=CLOSEST)
    return BestMatches(costliest, closest)


def notices(event: Event, viewer: int | None = None) -> Sequence[Any]:
    """Return the notices of an event: rows of `notice_statements.notices_of_event`."""
    return data.read(seen_by(viewer, notice_statements.notices_of_event(event.id)))


Mark = tuple[Phase, bool, str | None, tuple[tuple[str, str, bool, bool], ...], tuple[datetime, ...]]
"""A value that changes whenever the pages of an event must be drawn again."""


def mark(found: EventView) -> Mark:
    """Return the mark of an event."""
    dates = found.event.terms.dates
    entered = tuple(
        (one.bot, one.team, one.withdrawn, one.version is not None) for one in found.entries
    )
    moments = (dates.opens, dates.freezes, dates.final, dates.results)
    return found.phase, found.is_overdue, found.event.tournament, entered, moments


def current_mark(name: str, viewer: int | None = None) -> Mark | None:
    """Return the current mark of an event, at most KEPT_SECONDS old."""
    found = named(name, viewer)
    return None if found is None else mark(found)


@st.cache_resource(max_entries=100, show_spinner=False)  # what is released does not change
def _results(event_id: int, viewer: int | None, _event: Event) -> Sequence[FinalLine]:
    del event_id  # only part of the cache's key
    found = final(_event, viewer)
    return () if found is None else standings(found.record)


@st.cache_resource(max_entries=20, show_spinner=False)  # what is released does not change
def _private_final(event_id: int, viewer: int | None, _event: Event) -> TournamentView | None:
    def read(statement: Row) -> Sequence[Any]:
        return data.read(seen_by(viewer, statement))

    finalists = read(final_statements.seen_finalists(event_id))
    if _event.seed is None or not finalists:
        return None
    drawn = DrawnFinal(_event.terms.rules, _event.seed, list(map(rows.finalist, finalists)))
    paired = read(final_statements.pairings_of(event_id))
    record = record_of(_event, drawn, paired, read(final_statements.blocks_of(event_id)))
    return tournament_data.view_of(record, _event.ended_at)


def ratings(event: EventSeen, participants: Sequence[ParticipantSeen]) -> Ratings:
    """Return the Elo of builds on the event's own ladder, else on that of its final's rules."""
    if event.ladder:
        return {
            (one.bot, one.version or one.plays): one.elo
            for one in participants
            if one.elo is not None
        }
    found = named(event.name, None)
    if found is None:
        return {}
    rules = found.event.terms.rules
    ladder = LadderId.of(
        rules.game, rules.options, table_sizes(rules.seats), time_control=rules.time_control
    )
    return {(line.bot, line.version): line.elo for line in data.leaderboard(ladder).lines}
