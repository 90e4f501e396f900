"""Finding matches: filters and orders of the list of matches, as SQL statements.

Whatever the filters, a statement looks at a bounded number of the newest matches, unless an index
leads to those that fit.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Final

from sqlalchemy import ColumnElement, Select, and_, func, literal, select, tuple_

from arena.storage.names import folded
from arena.storage.statements import Row, match_rows
from arena.storage.tables import (
    bots,
    match_faults,
    match_seats,
    matches,
    transcripts,
    versions,
)
from arena.storage.tournament_tables import tournament_blocks, tournaments

SEARCHED: Final = 20_000
"""The newest matches that are looked at for a filter that no index serves."""
COMPARED: Final = 1_000
"""The newest matches that fit, of which the closest are chosen."""


class MatchOrder(Enum):
    """The order of a list of matches."""

    NEWEST = "newest"
    CLOSEST = "closest"
    """By the points between the first and the second, among the newest that fit."""


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """What matches must fulfil; None and False ask for nothing."""

    bot: str | None = None
    """A bot in one of the seats, by its name."""
    opponent: str | None = None
    """A second bot."""
    game: str | None = None
    seats: int | None = None
    tournament: str | None = None
    pairing: tuple[int, int] | None = None
    """Round and table of the tournament."""
    block: str | None = None
    faults: bool = False
    """Only matches with a fault: of `bot` if it is given, else of anybody."""
    since: datetime | None = None
    """Ended then or later."""
    until: datetime | None = None
    """Ended before then."""


def found_matches(
    wanted: MatchFilter,
    *,
    order: MatchOrder = MatchOrder.NEWEST,
    before: str | None = None,
    limit: int = 50,
) -> Row:
    """The columns of `match_rows`: the matches that fit, older than the match `before`."""
    newest = _newest(wanted, before)
    if order is MatchOrder.NEWEST:
        ids = newest.limit(limit).subquery()
        return match_rows().where(matches.c.id.in_(select(ids.c.id))).order_by(*_NEWEST_FIRST)
    compared = newest.limit(COMPARED).subquery()
    margin = _margin()
    closest = (
        select(matches.c.id, margin.label("margin"))
        .where(matches.c.id.in_(select(compared.c.id)), margin.is_not(None))
        .order_by(margin, *_NEWEST_FIRST)
        .limit(limit)
        .subquery()
    )
    found = match_rows().join(closest, closest.c.id == matches.c.id)
    return found.order_by(closest.c.margin, *_NEWEST_FIRST)


def transcripts_of_matches(match_ids: Collection[str]) -> Row:
    """match_id, format, sha256, data of these matches."""
    return select(
        transcripts.c.match_id, transcripts.c.format, transcripts.c.sha256, transcripts.c.data
    ).where(transcripts.c.match_id.in_(match_ids))


def faults_told(match_ids: Collection[str]) -> Row:
    """match_id, turn, reason, sent: what bots were told of their faults in these matches."""
    return select(
        match_faults.c.match_id, match_faults.c.turn, match_faults.c.reason, match_faults.c.sent
    ).where(match_faults.c.match_id.in_(match_ids))


_NEWEST_FIRST = (matches.c.finished_at.desc(), matches.c.id.desc())


def _newest(wanted: MatchFilter, before: str | None) -> Select[tuple[str]]:
    """id: of the matches that fit, newest first."""
    ranged = select(matches.c.id)
    if wanted.since is not None:
        ranged = ranged.where(matches.c.finished_at >= wanted.since)
    if wanted.until is not None:
        ranged = ranged.where(matches.c.finished_at < wanted.until)
    if before is not None:
        last = matches.alias()
        then = select(last.c.finished_at).where(last.c.id == before).scalar_subquery()
        here = tuple_(matches.c.finished_at, matches.c.id)
        ranged = ranged.where(here < tuple_(then, literal(before, matches.c.id.type)))
    served = _served(wanted)
    others = _others(wanted)
    if others:
        searched = ranged.where(*served).order_by(*_NEWEST_FIRST).limit(SEARCHED).subquery()
        ranged = select(matches.c.id).join(searched, searched.c.id == matches.c.id)
        served = []
    return ranged.where(*served, *others).order_by(*_NEWEST_FIRST)


def _served(wanted: MatchFilter) -> list[ColumnElement[bool]]:
    """The conditions to whose matches an index leads, or that are frequent if none does."""
    found: list[ColumnElement[bool]] = []
    if wanted.game is not None:
        found.append(matches.c.game == wanted.game)
    if wanted.seats is not None:
        found.append(matches.c.seat_count == wanted.seats)
    if wanted.bot is not None:
        found.append(_has(wanted.bot, faulty=wanted.faults))
    if wanted.opponent is not None:
        found.append(_has(wanted.opponent, faulty=False))
    if wanted.tournament is not None:
        of = tournament_blocks.c
        blocks = (
            select(of.block_id)
            .join(tournaments, tournaments.c.id == of.tournament_id)
            .where(func.lower(tournaments.c.name) == wanted.tournament.lower())
        )
        if wanted.pairing is not None:
            number, table = wanted.pairing
            blocks = blocks.where(of.round == number, of.table == table)
        found.append(matches.c.block_id.in_(blocks))
    if wanted.block is not None:
        found.append(matches.c.block_id == wanted.block)
    return found


def _others(wanted: MatchFilter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if wanted.faults and wanted.bot is None:
        here = and_(match_seats.c.match_id == matches.c.id, match_seats.c.faults > 0)
        found.append(select(match_seats.c.match_id).where(here).exists())
    return found


def _has(bot: str, *, faulty: bool) -> ColumnElement[bool]:
    ids = select(versions.c.id).join(bots).where(bots.c.folded == folded(bot))
    seated = select(match_seats.c.match_id).where(
        match_seats.c.match_id == matches.c.id, match_seats.c.version_id.in_(ids)
    )
    return (seated.where(match_seats.c.faults > 0) if faulty else seated).exists()


def _margin() -> ColumnElement[int]:
    """The points between the best two placings; None where a score is missing."""
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
