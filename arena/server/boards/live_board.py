"""Leaderboards kept up to date while matches are played, shared by all readers.

The first read takes the ladder's checkpoint and the results after it; a later one asks for the
number of the last rating event, and for results only when that number has changed. If the policy
does not rank versions that have not played for some days, it also asks which versions these are.
The ratings are those of the whole log (`Board`). The referee's registry, the command line and the
dashboard all read their boards here.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from arena.database.channels import RESULTS_CHANNEL
from arena.database.listening import notifications
from arena.database.reading import ColumnReader, Read
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.rating.aggregate import Aggregate
from arena.rating.ladder import Ladder
from arena.rating.ladder_id import LadderId
from arena.rating.methods import ScoreRule
from arena.rating.win_share import WinShares
from arena.records import Registered, VersionId
from arena.server.boards import ladder_statements
from arena.server.boards.board import Board, BoardLine, rest_seconds, table_sizes
from arena.server.boards.fault_counts import FaultCounts
from arena.server.boards.ladder_log import grown, read_checkpoint, read_log, registered
from arena.server.boards.ranking_rule import RankingRule
from arena.server.boards.trend import FEWEST_MATCHES, TREND_EVENTS, TREND_SHARE, rating_trend

MOST_BOARDS = 32
"""The number of boards that LiveBoards keeps; the least recently used one is dropped."""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A ladder at one moment."""

    lines: tuple[BoardLine, ...]
    """All versions in the order of the fit, including those that are not ranked."""
    matches: int
    """The number of rated matches."""
    sequence: int
    """The last rating event that was read."""
    rated: Ladder[VersionId] | None = None
    """The fit behind the lines; None before the first match."""
    win_shares: tuple[WinShares[VersionId], ...] = ()
    """First places by table size."""
    faults: Mapping[VersionId, FaultCounts] = field(default_factory=dict)
    """Faults and forfeits, of the versions that had any."""
    rule: RankingRule = field(default_factory=RankingRule)
    """The rule that decides which lines are ranked."""

    @property
    def ranked(self) -> tuple[BoardLine, ...]:
        """The lines of the ranking, by rank."""
        return tuple(line for line in self.lines if line.ranked)

    @property
    def old(self) -> tuple[BoardLine, ...]:
        """The lines of old versions, which are not ranked, best first."""
        return tuple(line for line in self.lines if not line.ranked)

    @property
    def anchor(self) -> BoardLine | None:
        """The bot from which ratings are measured; None when they are measured from the mean."""
        return next((line for line in self.lines if line.anchor), None)


class LiveBoard:
    """One leaderboard that reads new results as they come. Safe to share among threads."""

    def __init__(
        self, ladder: LadderId, read: ColumnReader, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.ladder = ladder
        self._read = read
        self._clock = clock
        self._versions: dict[VersionId, Registered] = {}
        """The versions of the board's bots; these details of a version never change."""
        self._lock = Lock()
        self._begin_again(0)
        self._rests_until = -float("inf")

    def now(self) -> Leaderboard:
        """Return the current ladder, at most the rest time old. Raises StorageError."""
        with self._lock:
            began = self._clock()
            if began >= self._rests_until:
                first = not len(self._board)
                self._catch_up()
                ended = self._clock()
                # The log so far is read only once, so the first computation does not count.
                self._rests_until = ended + rest_seconds(0.0 if first else ended - began)
            return self._latest

    @property
    def latest(self) -> Leaderboard:
        """The ladder as it was last read, without reading; empty before the first time."""
        return self._latest

    @property
    def rests_seconds(self) -> float:
        """Seconds for which `now` still returns the same value."""
        return max(0.0, self._rests_until - self._clock())

    def trend(self) -> dict[VersionId, float]:
        """Return the Elo that versions gained by the latest matches, see `rating_trend`.

        Raises StorageError.
        """
        while True:
            with self._lock:
                board, last = self._latest, self._board.sequence
            rated = board.rated
            if rated is None or board.matches < FEWEST_MATCHES:
                return {}
            log = read_log(self._read, self.ladder, max(0, last - TREND_EVENTS), last, lucky=False)
            latest = Aggregate.of(log.latest(int(board.matches * TREND_SHARE)), self.ladder.score)
            with self._lock:
                if self._latest is board:  # otherwise the sums are newer than the ratings
                    then = self._board.aggregate.without(latest)
                    break
        return rating_trend(then, rated.intervals)

    def _begin_again(self, revision: int) -> None:
        """Empty the board, for a new revision of the log."""
        self._revision = revision
        self._board = Board(self.ladder.game, self.ladder.score)
        self._latest = Leaderboard((), 0, 0)

    def _catch_up(self) -> None:
        """Read the new results, if there are any, and compute the ladder."""
        (last,) = self._read(ladder_statements.log_end())
        if last.revision != self._revision:
            # The results read so far no longer count, or count differently.
            self._begin_again(last.revision)
        rule, latest = RankingRule(last.ranked_versions, last.ranked_days), self._latest
        unchanged = last.sequence == latest.sequence and rule == latest.rule
        if unchanged and rule.holds(self._read, latest.lines):
            return
        # Sequences run over all ladders: earlier results were read or are of other ladders.
        after = max(self._latest.sequence, self._board.sequence)
        if not len(self._board):
            checkpoint = read_checkpoint(self._read, self.ladder, last.revision)
            if checkpoint is not None:
                self._board, held = checkpoint
                after = max(after, held)
        self._board = grown(self._read, self.ladder, self._board, after)
        lines, rated = self._latest.lines, self._latest.rated
        if len(self._board) and (self._board.sequence > self._latest.sequence or rated is None):
            new = [bot for bot in self._board.aggregate.bots if bot not in self._versions]
            self._versions |= registered(self._read, new)
            lines = tuple(self._board.lines(self._versions))
            rated = self._board.ladder(self._versions)
        if rated is not None:
            lines = rule.applied(self._read, lines, rated)
        # Results may have arrived between the two queries.
        sequence = max(last.sequence, self._board.sequence)
        wins, faults = self._board.win_shares(), self._board.faults()
        self._latest = Leaderboard(lines, len(self._board), sequence, rated, wins, faults, rule)


class LiveBoards:
    """The live boards of one database by ladder. Safe to share among threads."""

    def __init__(self, read: ColumnReader) -> None:
        self._read = read
        self._lock = Lock()
        self._boards: OrderedDict[LadderId, LiveBoard] = OrderedDict()

    def board(self, ladder: LadderId) -> LiveBoard:
        """Return the board of a ladder; all callers share it."""
        with self._lock:
            board = self._boards.setdefault(ladder, LiveBoard(ladder, self._read))
            self._boards.move_to_end(ladder)
            if len(self._boards) > MOST_BOARDS:
                self._boards.popitem(last=False)
            return board


def ladder_of_table(
    read: Read,
    game: str,
    options: Mapping[str, Any],
    seats: int | None,
    score: ScoreRule = ScoreRule.PLACEMENT,
    time_control: TimeControl = DEFAULT_TIME_CONTROL,
) -> tuple[int, LadderId]:
    """Return a table size and the ladder that it belongs to.

    `options` are those that differ from the defaults. Without `seats`, the size is the smallest
    played so far (2 if none was).
    """
    if seats is None:
        played = (
            row.seat_count
            for row in read(ladder_statements.ladders())
            if row.game == game
            and row.options == options
            and TimeControl(row.turn_ms, row.bank_ms) == time_control
        )
        seats = min(played, default=2)
    return seats, LadderId.of(game, options, table_sizes(seats), score, time_control)


async def follow(url: str, board: LiveBoard) -> AsyncGenerator[Leaderboard]:
    """Yield the current ladder, then again whenever its lines or matches change, without end.

    The database at `url` notifies of new results (no polling); `rests_seconds` limits the rate.
    """
    last: tuple[int, tuple[BoardLine, ...]] | None = None
    async with aclosing(notifications(url, [RESULTS_CHANNEL])) as news:
        async for _ in news:
            found = await asyncio.to_thread(board.now)
            shown = found.matches, found.lines
            if shown != last:
                last = shown
                yield found
            await asyncio.sleep(board.rests_seconds)
