"""Leaderboards from storage: as they stand, what stands beside them, how they came about, and live.

The dashboard keeps boards of its own and reads them on; the numbers are the same, since all of them
are computed by `arena.tournament`.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from arena.boards.board import TABLE_SIZES, Board, BoardLine, rest_seconds, table_sizes
from arena.boards.comparisons import AcrossTables, Comparisons, across_tables, comparisons
from arena.boards.model_check import ModelCheck, model_check
from arena.boards.rating_history import Point, rating_history
from arena.rating.methods import ScoreRule
from arena.records import Registered, VersionId
from arena.storage.listening import notifications
from arena.storage.rows import RatedMatch, RatedResult, Trouble
from arena.storage.store import Store
from arena.storage.tables import RESULTS_CHANNEL

MOST_LIVE = 32
"""Boards kept at the same time by LiveLeaderboards; the one not asked for the longest goes."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """Which ladder: a game, its options that are not defaults, its numbers of seats, its score."""

    game: str
    options: Mapping[str, Any]
    sizes: range
    score: ScoreRule = ScoreRule.PLACEMENT


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A ladder at one moment."""

    standings: tuple[BoardLine, ...]
    matches: int
    """How many count."""
    sequence: int
    """The rating event of the last of them."""


@dataclass(frozen=True, slots=True)
class Details:
    """A ladder at one moment, with what stands beside its Elo."""

    board: Leaderboard
    comparisons: Comparisons | None
    """None before the first match."""
    troubles: Mapping[VersionId, Trouble]
    across_tables: Mapping[VersionId, AcrossTables]
    """Over the ladders of this game and options, by version."""
    check: ModelCheck | None
    """None unless it was asked for."""


@dataclass(frozen=True, slots=True)
class LadderHistory:
    """A ladder's points, oldest first, and the match that each of them ends with."""

    points: tuple[Point, ...]
    matches: tuple[RatedMatch, ...]
    versions: Mapping[VersionId, Registered]


async def leaderboard(
    store: Store,
    game: str,
    options: Mapping[str, Any],
    seats: int | None,
    score: ScoreRule = ScoreRule.PLACEMENT,
) -> tuple[int, list[BoardLine]]:
    """The table size and the lines of its ladder, best first.

    `options` are those that differ from the defaults; without `seats`, the smallest table that was
    played is taken (2 if none was).
    """
    seats = await table_size(store, game, options, seats)
    board, versions = await _board(store, Ladder(game, options, table_sizes(seats), score))
    return seats, board.standings(versions)


class LiveLeaderboards:
    """Leaderboards for whoever asks, however often: each board grows by what is new, computes in a
    thread of its own, and rests in between, so that questions cannot slow the matches down."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._boards: OrderedDict[str, _Live] = OrderedDict()

    async def standings(
        self, game: str, options: Mapping[str, Any], seats: int | None
    ) -> tuple[int, list[BoardLine]]:
        """As `leaderboard`, a moment ago at the most."""
        seats = await table_size(self._store, game, options, seats)
        ladder = Ladder(game, options, table_sizes(seats))
        key = repr((game, sorted(options.items()), ladder.sizes))
        live = self._boards.setdefault(key, _Live(Board(game)))
        self._boards.move_to_end(key)
        if len(self._boards) > MOST_LIVE:
            self._boards.popitem(last=False)
        async with live.turn:
            began = time.monotonic()
            if began >= live.fresh_until:
                sizes, board = list(ladder.sizes), live.board
                rows = await self._store.rated_results(game, options, sizes, board.sequence)
                versions = await self._store.versions()
                live.standings = await asyncio.to_thread(_grown, board, rows, versions)
                now = time.monotonic()
                live.fresh_until = now + rest_seconds(now - began)
            return seats, live.standings


@dataclass(slots=True)
class _Live:
    board: Board
    standings: list[BoardLine] = field(default_factory=list)
    fresh_until: float = 0.0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


def _grown(
    board: Board, rows: Iterable[RatedResult], versions: Mapping[VersionId, Registered]
) -> list[BoardLine]:
    board.extend(rows)
    return board.standings(versions)


async def table_size(store: Store, game: str, options: Mapping[str, Any], seats: int | None) -> int:
    """`seats`, or else the smallest number of seats that was played; 2 if none was."""
    if seats is not None:
        return seats
    ladders = await store.ladders()
    return min(
        (one.seat_count for one in ladders if one.game == game and one.options == options),
        default=2,
    )


async def details(store: Store, ladder: Ladder, *, check: bool = False) -> Details:
    """The ladder with all that stands beside it; with `check`, also what takes seconds."""
    board, versions = await _board(store, ladder)
    standings = tuple(board.standings(versions))
    shown = [(ladder.sizes, standings, board.win_shares())]
    for sizes in TABLE_SIZES:
        if sizes != ladder.sizes:
            same = Ladder(ladder.game, ladder.options, sizes, ladder.score)
            other, known = await _board(store, same)
            shown.append((sizes, tuple(other.standings(known)), other.win_shares()))
    shown.sort(key=lambda one: one[0].start)
    troubles = await store.troubles(ladder.game, ladder.options, list(ladder.sizes), board.sequence)
    return Details(
        Leaderboard(standings, len(board), board.sequence),
        comparisons(board.ladder(versions)) if standings else None,
        {trouble.version_id: trouble for trouble in troubles},
        across_tables(shown),
        model_check(board.log()[0], score=ladder.score) if check else None,
    )


async def ladder_history(store: Store, ladder: Ladder, points: int) -> LadderHistory:
    """The ladder's log, replayed: at most so many points."""
    board, versions = await _board(store, ladder)
    log, sequences = board.log()
    anchor = board.anchor(versions)
    found = rating_history(log, sequences, anchor=anchor, score=ladder.score, points=points)
    matches = await store.rated_matches([point.sequence for point in found])
    return LadderHistory(tuple(found), tuple(matches), versions)


async def follow(store: Store, url: str, ladder: Ladder) -> AsyncGenerator[Leaderboard]:
    """The ladder now, and again whenever it changed, for ever; never more than a tenth of the time.

    The database tells when there is something new; nobody is asked, and nobody waits for us.
    """
    board = Board(ladder.game, ladder.score)
    shown = -1
    async with aclosing(notifications(url, [RESULTS_CHANNEL])) as news:
        async for _ in news:
            began = time.perf_counter()
            versions = await _read_on(store, ladder, board)
            changed = board.sequence != shown
            standings = tuple(board.standings(versions)) if changed else ()
            # The log so far is read once: what comes is what costs from now on.
            rest = rest_seconds(0.0 if shown < 0 else time.perf_counter() - began)
            if changed:
                shown = board.sequence
                yield Leaderboard(standings, len(board), board.sequence)
            await asyncio.sleep(rest)


async def _board(store: Store, ladder: Ladder) -> tuple[Board, Mapping[VersionId, Registered]]:
    board = Board(ladder.game, ladder.score)
    return board, await _read_on(store, ladder, board)


async def _read_on(store: Store, ladder: Ladder, board: Board) -> Mapping[VersionId, Registered]:
    """What is new goes to the board; who all of them are comes back, read afterwards."""
    sizes = list(ladder.sizes)
    board.extend(await store.rated_results(ladder.game, ladder.options, sizes, board.sequence))
    return await store.versions()
