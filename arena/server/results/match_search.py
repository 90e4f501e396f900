"""Filters and orders of the list of matches, as SQL statements.

An index finds the matches that fit one of the filters, newest first. These are checked against the
other filters until enough fit, but at most `SEARCHED` of them, so that the cost of a list does not
grow with the number of matches. The matches of a block or a tournament are all checked.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, TypeAlias

from sqlalchemy import ColumnElement, FromClause, Select, func, literal, select, true, tuple_

from arena.database.names import folded
from arena.database.statement import Row
from arena.database.tables.bots import bots, versions
from arena.database.tables.matches import blocks, match_faults, match_seats, matches, transcripts
from arena.database.tables.tournaments import tournament_blocks, tournaments
from arena.server.results.statements import match_rows

SEARCHED: Final = 20_000
"""The number of newest matches found by an index that are checked against the other filters."""
COMPARED: Final = 1_000
"""The number of newest matches that fit all filters, among which the closest are chosen."""


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """The conditions for matches; None and False mean no condition."""

    bot: str | None = None
    """A bot in one of the seats, by its name."""
    version: str | None = None
    """Only this version of `bot`, by its label."""
    opponent: str | None = None
    """A second bot."""
    game: str | None = None
    seats: int | None = None
    tournament: str | None = None
    pairing: tuple[int, int] | None = None
    """The round and the table of the tournament."""
    block: str | None = None
    faults: bool = False
    """Only matches with a fault: of `bot` if it is given, else of any bot."""
    won: bool | None = None
    """Whether `bot`, which must be given, has the first place, perhaps shared."""
    rated: bool = False
    """Only matches that count for the ratings once their block is complete."""
    since: datetime | None = None
    """The earliest time at which the matches ended."""
    until: datetime | None = None
    """The time before which the matches ended."""


def found_matches(
    wanted: MatchFilter,
    *,
    closest: bool = False,
    before: str | None = None,
    limit: int,
) -> Row:
    """Return a statement that selects the newest matches that fit, older than the match `before`.

    With `closest`, it selects among the newest COMPARED those with the fewest points between the
    first and the second. Columns: those of `match_rows`.
    """
    if not closest:
        ids = _newest(wanted, before, limit).subquery()
        return match_rows().where(matches.c.id.in_(select(ids.c.id))).order_by(*_NEWEST_FIRST)
    compared = _newest(wanted, before, COMPARED).subquery()
    margin = _margin()
    best = (
        select(matches.c.id, margin.label("margin"))
        .where(matches.c.id.in_(select(compared.c.id)), margin.is_not(None))
        .order_by(margin, *_NEWEST_FIRST)
        .limit(limit)
        .subquery()
    )
    found = match_rows().join(best, best.c.id == matches.c.id)
    return found.order_by(best.c.margin, *_NEWEST_FIRST)


def transcripts_of_matches(match_ids: Collection[str]) -> Row:
    """Return a statement that selects the transcripts of these matches.

    Columns: match_id, format, sha256, data.
    """
    return select(
        transcripts.c.match_id, transcripts.c.format, transcripts.c.sha256, transcripts.c.data
    ).where(transcripts.c.match_id.in_(match_ids))


def faults_told(match_ids: Collection[str]) -> Row:
    """Return a statement that selects the fault messages that bots got in these matches.

    Columns: match_id, turn, reason, sent.
    """
    return (
        select(
            match_faults.c.match_id, match_faults.c.turn, match_faults.c.reason, match_faults.c.sent
        )
        .where(match_faults.c.match_id.in_(match_ids))
        .order_by(match_faults.c.match_id, match_faults.c.turn)
    )


_NEWEST_FIRST = (matches.c.finished_at.desc(), matches.c.id.desc())

_Found: TypeAlias = Select[tuple[str, datetime]]
"""A statement that selects id and finished_at of matches."""


def _newest(wanted: MatchFilter, before: str | None, limit: int) -> _Found:
    """Return a statement that selects the newest matches that fit, each once."""
    when = _Range(wanted, before)
    if wanted.block is not None or wanted.tournament is not None:
        # Materialized: otherwise Postgres would search for them among the newest of all matches.
        found = when.of_matches().where(matches.c.block_id.in_(_blocks(wanted)))
        of_blocks = found.cte("of_blocks").prefix_with("MATERIALIZED")
        rest = replace(wanted, block=None, tournament=None)
        return _first(_fitting(of_blocks, rest), limit)
    if wanted.bot is not None:
        of_bot = _versions(wanted.bot, wanted.version).subquery("of_bot")
        own = when.of_seats(faulty=wanted.faults).correlate(of_bot)
        led = own.where(match_seats.c.version_id == of_bot.c.id)
        rest = replace(wanted, faults=False)
        if wanted.won is None:
            rest = replace(rest, bot=None, version=None)
        # Each version separately: an index has a version's matches in the order of their ends.
        of_version = _searched(led, rest, limit).lateral("of_version")
        both = select(of_version.c.id, of_version.c.finished_at).distinct()
        return _first(both.select_from(of_bot.join(of_version, true())), limit)
    if wanted.faults:
        return _searched(when.of_seats(faulty=True), replace(wanted, faults=False), limit)
    if wanted.game is not None:
        led = when.of_matches().where(matches.c.game == wanted.game)
        return _searched(led, replace(wanted, game=None), limit)
    if wanted.seats is not None:
        led = when.of_matches().where(matches.c.seat_count == wanted.seats)
        return _searched(led, replace(wanted, seats=None), limit)
    return _searched(when.of_matches(), wanted, limit)


@dataclass(frozen=True, slots=True)
class _Range:
    """The range of times in which matches ended."""

    wanted: MatchFilter
    before: str | None

    def of_matches(self) -> _Found:
        """Return a statement that selects the matches in the range."""
        found = select(matches.c.id, matches.c.finished_at)
        return found.where(*self._holds(matches.c.finished_at, matches.c.id))

    def of_seats(self, *, faulty: bool) -> _Found:
        """Return a statement that selects the matches of seats in the range, each once.

        With `faulty`, only seats with a fault count.
        """
        seats = match_seats.c
        found = select(seats.match_id.label("id"), seats.finished_at).distinct()
        found = found.where(*self._holds(seats.finished_at, seats.match_id))
        return found.where(seats.faults > 0) if faulty else found

    def _holds(
        self, ended: ColumnElement[datetime], match_id: ColumnElement[str]
    ) -> Iterator[ColumnElement[bool]]:
        if self.wanted.since is not None:
            yield ended >= self.wanted.since
        if self.wanted.until is not None:
            yield ended < self.wanted.until
        if self.before is not None:
            last = matches.alias()
            then = select(last.c.finished_at).where(last.c.id == self.before).scalar_subquery()
            yield tuple_(ended, match_id) < tuple_(then, literal(self.before, matches.c.id.type))


def _first(found: _Found, limit: int) -> _Found:
    match_id, ended = found.selected_columns
    return found.order_by(ended.desc(), match_id.desc()).limit(limit)


def _searched(led: _Found, rest: MatchFilter, limit: int) -> _Found:
    """Return a statement that selects the newest matches of `led` that fit the rest of the filters.

    `led` selects the matches that an index finds.
    """
    if not _conditions(rest):
        return _first(led, limit)
    return _first(_fitting(_first(led, SEARCHED).subquery("searched"), rest), limit)


def _fitting(found: FromClause, rest: MatchFilter) -> _Found:
    fitting = select(found.c.id, found.c.finished_at)
    return fitting.join(matches, matches.c.id == found.c.id).where(*_conditions(rest))


def _conditions(wanted: MatchFilter) -> list[ColumnElement[bool]]:
    """Return the conditions for each match: all filters but time, block and tournament."""
    found: list[ColumnElement[bool]] = []
    if wanted.game is not None:
        found.append(matches.c.game == wanted.game)
    if wanted.seats is not None:
        found.append(matches.c.seat_count == wanted.seats)
    if wanted.bot is not None:
        own = [_is_of(wanted.bot, wanted.version)]
        if wanted.faults:
            own.append(match_seats.c.faults > 0)
        if wanted.won is not None:
            first = match_seats.c["placing"] == 1
            own.append(first if wanted.won else ~first)
        found.append(_seated(*own))
    elif wanted.faults:
        found.append(_seated(match_seats.c.faults > 0))
    if wanted.opponent is not None:
        found.append(_seated(_is_of(wanted.opponent)))
    if wanted.rated:
        counted = select(blocks.c.id).where(blocks.c.id == matches.c.block_id)
        found.append(counted.where(blocks.c.rated, blocks.c.voided_at.is_(None)).exists())
    return found


def _is_of(bot: str, version: str | None = None) -> ColumnElement[bool]:
    return match_seats.c.version_id.in_(_versions(bot, version))


def _versions(bot: str, version: str | None) -> Select[tuple[int]]:
    """Return a statement that selects the ids of a bot's versions, or of one of them."""
    found = select(versions.c.id).join(bots).where(bots.c.folded == folded(bot))
    return found if version is None else found.where(versions.c.label == version)


def _seated(*conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    """Return the condition that one seat of the match fulfils all these conditions."""
    of_match = match_seats.c.match_id == matches.c.id
    return select(match_seats.c.match_id).where(of_match, *conditions).exists()


def _blocks(wanted: MatchFilter) -> Select[tuple[str]]:
    """Return a statement that selects the ids of the wanted blocks.

    These are the filter's block, or the blocks of its tournament or pairing.
    """
    of = tournament_blocks.c
    if wanted.tournament is None:
        return select(literal(wanted.block, matches.c.block_id.type))
    found = (
        select(of.block_id)
        .join(tournaments, tournaments.c.id == of.tournament_id)
        .where(func.lower(tournaments.c.name) == wanted.tournament.lower())
    )
    if wanted.pairing is not None:
        number, table = wanted.pairing
        found = found.where(of.round == number, of.table == table)
    return found if wanted.block is None else found.where(of.block_id == wanted.block)


def _margin() -> ColumnElement[int]:
    """Return an expression for the points between the best two placings.

    It is NULL where a score is missing.
    """
    place = match_seats.c["placing"]
    best = (
        select(
            match_seats.c.score,
            func.row_number().over(order_by=(place, match_seats.c.seat)).label("at"),
        )
        .where(match_seats.c.match_id == matches.c.id)
        .order_by(place, match_seats.c.seat)
        .limit(2)
        .correlate(matches)
        .subquery()
    )
    spread = func.max(best.c.score) - func.min(best.c.score)
    both = func.count(best.c.score) == 2
    return select(spread).select_from(best).having(both).correlate(matches).scalar_subquery()
