"""How long a tournament takes, with the slots that the workers have.

The estimate comes from recent matches at first, and later from the pace of the blocks so far.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from sqlalchemy import extract, func, select, text, true

from arena.database.statement import Row
from arena.database.tables.matches import blocks, match_seats, matches
from arena.database.tables.tournaments import tournament_blocks
from arena.database.tables.uploads import workers
from arena.server.tournaments.tournament import Rules

MATCH_SECONDS: Final = 0.6
"""The seconds assumed for a match if no match of its bots is recorded, and they answer at once."""
CHANGE_SECONDS: Final = 3.0
"""The seconds from when a bot leaves its slot until the next one plays, on an idle machine."""
ENOUGH: Final = 5
"""The number of blocks after which their pace is used."""
RECENT: Final = 20
"""The number of recent matches read for each bot."""
SEEN: Final = "1 hour"
"""How long a worker's slots count after it last began a shift."""


@dataclass(frozen=True, slots=True)
class PlayingSpeed:
    """What decides how long a tournament takes."""

    bots: int
    hosted: int
    """How many of the bots need a slot."""
    slots: int
    """The slots of the workers that are running."""
    match_seconds: float
    """The mean over the bots' recent matches."""
    block_seconds: float | None = None
    """The mean seconds from one block's end to the next so far; None before ENOUGH blocks."""


@dataclass(frozen=True, slots=True)
class Duration:
    """How long a number of blocks takes."""

    tables: int
    """How many are played at once; 0 if the slots are too few for one."""
    time: timedelta | None
    """None if the slots are too few."""


def duration(rules: Rules, pace: PlayingSpeed, count: int) -> Duration:
    """Return how long `count` blocks take."""
    seats = rules.seats
    at_once = pace.bots - pace.hosted + min(pace.slots, pace.hosted)
    tables = at_once // seats
    if not tables:
        return Duration(0, None)
    if pace.block_seconds is not None:
        return Duration(tables, timedelta(seconds=count * pace.block_seconds))
    played = seats * pace.match_seconds
    if pace.slots < pace.hosted:
        # One change lets the new bot play about this many blocks against those already there.
        played += CHANGE_SECONDS / (at_once - seats + 1)
    return Duration(tables, timedelta(seconds=count * played / tables))


def in_words(rules: Rules, pace: PlayingSpeed, count: int) -> str:
    """Return how long `count` blocks take, as a sentence."""
    found = duration(rules, pace, count)
    slots = "1 slot" if pace.slots == 1 else f"{pace.slots} slots"
    if found.time is None:
        return (
            f"It cannot be played now: a table takes {rules.seats} bots at the same time, and the "
            f"workers have {slots} for {pace.hosted} hosted bots (`arena work --slots`)."
        )
    tables = "1 table" if found.tables == 1 else f"{found.tables} tables"
    where = f", with {slots} for {pace.hosted} hosted bots" if pace.hosted else ""
    return (
        f"{count:,} {'block' if count == 1 else 'blocks'}, {tables} at a time{where}: about "
        f"{_about(found.time)}{'' if pace.block_seconds is None else ' at the pace so far'}."
    )


def _about(time: timedelta) -> str:
    minutes = time.total_seconds() / 60
    if minutes < 2:
        return f"{max(1, round(time.total_seconds()))} s"
    return f"{round(minutes)} minutes" if minutes < 120 else f"{minutes / 60:.1f} hours"


def slots_there() -> Row:
    """Select `slots`: the number of slots of all workers that lately began a shift."""
    seen = workers.c.seen_at > func.now() - text(f"interval '{SEEN}'")
    return select(func.coalesce(func.sum(workers.c.slots), 0).label("slots")).where(
        workers.c.sha256.is_not(None), seen
    )


def played_so_far(tournament_id: int) -> Row:
    """Select `blocks`, how many count, and `seconds`, from the first start to the last end."""
    last, first = func.max(blocks.c.closed_at), func.min(blocks.c.created_at)
    return (
        select(func.count(blocks.c.closed_at).label("blocks"))
        .add_columns(extract("epoch", last - first).label("seconds"))
        .select_from(tournament_blocks.join(blocks))
        .where(tournament_blocks.c.tournament_id == tournament_id)
    )


def recent_seconds(version_ids: Collection[int], rules: Rules) -> Row:
    """Select `seconds`: the mean of these versions' last matches of the game, or None."""
    wanted = select(func.unnest(list(version_ids)).label("id")).subquery()
    last = (
        select(match_seats.c.match_id)
        .where(match_seats.c.version_id == wanted.c.id)
        .order_by(match_seats.c.finished_at.desc())
        .limit(RECENT)
        .lateral()
    )
    took = extract("epoch", matches.c.finished_at - matches.c.started_at)
    return (
        select(func.avg(took).label("seconds"))
        .select_from(wanted.join(last, true()).join(matches, matches.c.id == last.c.match_id))
        .where(matches.c.game == rules.game, matches.c.seat_count == rules.seats)
    )
