"""One ladder's leaderboard, kept up to date while the arena plays, for all visitors together.

Everything is read once: a visit asks for the number of the last rating event, and for results only
when it moved. What is shown is what the whole log gives (`Board`).
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from arena.boards.board import Board, BoardLine, rest_seconds
from arena.match.transcript import Entrant
from arena.rating.elo import IntArray
from arena.rating.ladder import Ladder
from arena.rating.methods import ScoreRule
from arena.rating.results import Results
from arena.rating.win_share import WinShares
from arena.records import Registered, VersionId
from arena.storage import bot_statements, statements
from arena.storage.statements import Row

Read = Callable[[Row], Sequence[Any]]
"""Runs a statement and returns its rows."""


@dataclass(frozen=True, slots=True)
class LadderName:
    """Which ladder: a game, its options that are not defaults as JSON, and the numbers of seats."""

    game: str
    options: str
    seats: tuple[int, ...]
    score: ScoreRule = ScoreRule.PLACEMENT


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A ladder at one moment."""

    standings: tuple[BoardLine, ...]
    matches: int
    """How many count."""
    sequence: int
    """The last rating event that was looked at."""
    rated: Ladder[VersionId] | None = None
    """The fit behind the standings, for what stands beside them; None before the first match."""
    win_shares: tuple[WinShares[VersionId], ...] = ()
    """First places by table size."""

    @property
    def anchor(self) -> BoardLine | None:
        """The bot from which ratings are measured; None when it is the mean."""
        return next((line for line in self.standings if line.anchor), None)


class LiveBoard:
    """A ladder that is read on. Safe to share among threads."""

    def __init__(self, ladder: LadderName, read: Read, clock: Callable[[], float] = time.monotonic):
        self._ladder = ladder
        self._read = read
        self._clock = clock
        self._lock = Lock()
        self._board = Board(ladder.game, ladder.score)
        self._shown = Leaderboard((), 0, 0)
        self._rests_until = -float("inf")

    def now(self) -> Leaderboard:
        """The ladder as it stands, at most a few moments old."""
        with self._lock:
            began = self._clock()
            if began >= self._rests_until:
                first = not len(self._board)
                self._catch_up()
                ended = self._clock()
                # The log so far is read once: what comes is what costs from now on.
                self._rests_until = ended + rest_seconds(0.0 if first else ended - began)
            return self._shown

    def log(self) -> tuple[Results[VersionId], IntArray]:
        """The results behind it and their rating events, as `Board.log`: a copy."""
        with self._lock:
            return self._board.log()

    def _catch_up(self) -> None:
        (last,) = self._read(statements.last_rating_event())
        if last.sequence == self._shown.sequence:
            return
        rows = self._read(
            statements.rated_results(
                self._ladder.game,
                json.loads(self._ladder.options),
                self._ladder.seats,
                # Of all ladders: what came before is known not to be ours.
                after_sequence=max(self._shown.sequence, self._board.sequence),
            )
        )
        standings, rated = self._shown.standings, self._shown.rated
        if rows:
            self._board.extend(rows)
            versions = {
                VersionId(row.id): Registered(
                    VersionId(row.id), Entrant(row.bot, row.version, row.owner), row.house
                )
                for row in self._read(bot_statements.all_versions())
            }
            standings = tuple(self._board.standings(versions))
            rated = self._board.ladder(versions)
        # Results may have come between the two questions.
        sequence = max(last.sequence, self._board.sequence)
        wins = self._board.win_shares()
        self._shown = Leaderboard(standings, len(self._board), sequence, rated, wins)
