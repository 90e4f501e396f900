"""The data of the pages about bots: the index, profiles, and the style in the latest matches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import streamlit as st

from arena.database.rows import MatchRow
from arena.lab.analysis import (
    AnalysedDecision,
    BotAnalysis,
    SeatAnalysis,
    analyse_bot,
    by_seat,
    kept_shares,
)
from arena.lab.deception import BotMatch, Deception, deception_of
from arena.rating.ladder_id import LadderId
from arena.records import VersionId
from arena.server.accounts import bot_statements
from arena.server.boards.board import BoardLine
from arena.server.notices import notice_statements
from arena.server.results.bluffing import Bluffing
from arena.server.results.faults import SeenFault, faults_of
from arena.server.results.kept_analyses import kept_decisions
from arena.server.results.match_search import MatchFilter
from arena.server.uploads.checks import RecordedCheck
from arena_dashboard.bots.accuracy_chart import accuracy_chart, accuracy_points, in_words
from arena_dashboard.matches import match_notes
from arena_dashboard.matches.match_notes import SeatUsage
from arena_dashboard.parts.drawn import Drawn, drawn
from arena_dashboard.reading import data

PAGE = 50
"""Bots per page of the index."""
RECENT_MATCHES = 200
"""The latest matches of a bot whose transcripts are read: 2 ms each, once for all visitors."""
KEPT_SECONDS = 10.0
"""The seconds for which results from the latest matches are cached."""
ANALYSED_MATCHES = 400
"""The latest matches of a bot that are searched for kept analyses."""
MOST_FAULTS = 10
"""The most faults of a bot that are listed, the latest."""
MOST_FAULTS_OF_A_VERSION = 50
"""The most faults listed on the page of one version's faults."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A bot and its versions."""

    name: str
    owner: str
    house: bool
    versions: Sequence[Any]
    """Rows, newest first, with id, version, created_at and retired_at.

    Each also has the owner's description of the bot (text, language, link), frozen_at, paused_at
    and pace.
    """
    checks: Mapping[VersionId, RecordedCheck]
    """The last check of each version that has one."""

    @property
    def retired(self) -> bool:
        """Whether all its versions are retired."""
        return all(one.retired_at is not None for one in self.versions)

    @property
    def since(self) -> datetime:
        """The time at which its first version was registered."""
        first: datetime = self.versions[-1].created_at
        return first


@dataclass(frozen=True, slots=True)
class Recent:
    """A bot's latest matches, and what it did in them."""

    matches: Sequence[MatchRow]
    """Newest first."""
    deception: Mapping[str, Deception]
    """How it bluffed and doubted, by game."""
    time: tuple[int, int]
    """The milliseconds of its answers, and their number."""
    luck: tuple[float, int]
    """Its mean luck, in expected points per match, and the number of matches averaged."""


@dataclass(frozen=True, slots=True)
class Decisions:
    """The costs of a bot's decisions in its latest matches."""

    sums: BotAnalysis
    accuracy: Drawn | None
    """The chart of the accuracy over time; None for too few matches."""


@dataclass(frozen=True, slots=True)
class BotIndex:
    """A page of all bots, or of those that a search finds."""

    rows: Sequence[Any]
    """Rows of `bot_page`."""
    before: str | None
    """The folded name before which the previous page ends; None on the first page."""
    after: str | None
    """The folded name after which the next page begins; None on the last page."""


def index(search: str, after: str | None, before: str | None) -> BotIndex:
    """Return a page of bots by name: those that follow `after`, or those that precede `before`."""
    # One row more than a page has shows whether there is another page.
    found = data.read(
        bot_statements.bot_page(search=search, after=after, before=before, limit=PAGE + 1)
    )
    more = len(found) > PAGE
    rows = found[:PAGE] if before is None else found[-PAGE:]
    if not rows:
        return BotIndex(rows, None, None)
    turned_back = before is not None
    return BotIndex(
        rows,
        rows[0].folded if (more if turned_back else after is not None) else None,
        rows[-1].folded if turned_back or more else None,
    )


def profile(name: str) -> Profile | None:
    """Return the profile of a bot, whatever the case of `name`; None if there is no such bot."""
    rows = data.read(bot_statements.profile_of(name))
    if not rows:
        return None
    checks = data.checks([VersionId(row.id) for row in rows])
    return Profile(rows[0].bot, rows[0].owner, rows[0].house, rows, checks)


def ladders_of(bot: str) -> list[tuple[LadderId, list[BoardLine]]]:
    """Return the ladders that the bot is on, each with the lines of its versions."""
    found = (
        (ladder, [one for one in data.leaderboard(ladder).lines if one.bot == bot])
        for ladder in data.ladders()
    )
    return [(ladder, lines) for ladder, lines in found if lines]


@st.cache_resource(ttl=KEPT_SECONDS, max_entries=200, show_spinner=False)
def recent(bot: str) -> Recent:
    """Return the bot's latest matches and what it did in them, at most KEPT_SECONDS old."""
    matches = data.find_matches(MatchFilter(bot=bot), limit=RECENT_MATCHES)
    ids = [one.match_id for one in matches]
    known = data.bluffs().of(ids)
    solved = kept_decisions(data.reader(), ids)
    luck = [
        row.luck[seat]
        for row in matches
        if row.luck is not None
        for seat, one in enumerate(row.seats)
        if one.bot == bot
    ]
    mean = sum(luck) / len(luck) if luck else 0.0
    times = [one.time_of(bot) for one in known.values()]
    time = sum(one for one, _ in times), sum(answers for _, answers in times)
    return Recent(matches, _by_game(bot, known, solved), time, (mean, len(luck)))


def _by_game(
    bot: str,
    known: Mapping[str, Bluffing],
    solved: Mapping[str, Sequence[AnalysedDecision]],
) -> Mapping[str, Deception]:
    """Return the deception of a bot in each game with claims, the most played first."""
    matches: dict[str, list[BotMatch]] = {}
    for match_id, one in known.items():
        its = BotMatch(one.deal, one.of(bot), kept_shares(solved.get(match_id, ())))
        matches.setdefault(one.game, []).append(its)
    most = sorted(matches, key=lambda game: -len(matches[game]))
    found = {game: deception_of(matches[game]) for game in most}
    return {game: table for game, table in found.items() if table is not None}


def usage(bot: str, recent: Recent) -> list[tuple[MatchRow, SeatUsage]]:
    """Return the latest matches in which the bot reported its usage, newest first."""
    by_match = match_notes.usages([one.match_id for one in recent.matches])
    return [
        (row, one)
        for row in recent.matches
        for one in by_match.get(row.match_id, {}).values()
        if one.bot == bot and one.answers
    ]


@st.cache_resource(ttl=KEPT_SECONDS, max_entries=200, show_spinner=False)
def decisions(bot: str) -> Decisions | None:
    """Return the costs of the bot's decisions in its latest matches, at most KEPT_SECONDS old.

    None if no analysis of these matches is kept.
    """
    found = data.find_matches(MatchFilter(bot=bot), limit=ANALYSED_MATCHES)
    kept = kept_decisions(data.reader(), [one.match_id for one in found])
    played: list[tuple[datetime, SeatAnalysis]] = [
        (row.finished_at, seat)
        for row in reversed(found)
        if row.match_id in kept
        for one, seat in zip(row.seats, by_seat(kept[row.match_id], len(row.seats)), strict=True)
        if one.bot == bot
    ]
    sums = analyse_bot(seat for _, seat in played)
    if sums is None:
        return None
    points = accuracy_points(played)
    return Decisions(sums, drawn(points, accuracy_chart, in_words) if len(points) > 1 else None)


def accepted_builds(bot: str) -> Sequence[Any]:
    """Return the newest notices of the bot's accepted builds: rows of `accepted_builds`."""
    return data.read(notice_statements.accepted_builds(bot))


@st.cache_resource(ttl=KEPT_SECONDS, max_entries=200, show_spinner=False)
def faults(bot: str, version: str | None = None) -> list[SeenFault]:
    """Return the latest faults of the bot, or of one version, in matches that are over.

    The result is at most KEPT_SECONDS old.
    """
    most = MOST_FAULTS if version is None else MOST_FAULTS_OF_A_VERSION
    return faults_of(data.read, bot, most, version)
