"""The log of results, in columns; every rating is computed from it.

A result has a match id, optionally a block id, and per seat a bot, its placing (1 is best, equal
placings are ties) and optionally its luck. A bot is any hashable value; the arena uses bot
versions.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from arena.rating.elo import FloatArray, IntArray
from arena.rating.errors import ResultError

BotT = TypeVar("BotT", bound=Hashable)

NO_BLOCK = -1
"""The block number of a match outside blocks."""


@dataclass(frozen=True, slots=True)
class MatchResult(Generic[BotT]):
    """One result: `seats` holds (bot, placing) in seat order; `block` is None outside a block.

    `luck` holds, by seat, points above expectation, which sum to zero; None counts as zero.

    Raises:
        ResultError: There are fewer than two seats, a bot in two seats, placings outside 1 to the
            number of seats, no first place, or luck of another number of seats.
    """

    match: Hashable
    seats: tuple[tuple[BotT, int], ...]
    block: Hashable | None = None
    luck: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if len(self.seats) < 2:
            raise ResultError(f"match {self.match}: {len(self.seats)} seat(s), needs at least two")
        if len({bot for bot, _ in self.seats}) < len(self.seats):
            raise ResultError(f"match {self.match}: a bot sits in two seats")
        placings = [placing for _, placing in self.seats]
        if min(placings) < 1 or max(placings) > len(placings):
            raise ResultError(
                f"match {self.match}: a placing outside 1 to {len(placings)}: {placings}"
            )
        if min(placings) > 1:
            raise ResultError(f"match {self.match}: nobody in first place: {placings}")
        if self.luck is not None and len(self.luck) != len(placings):
            raise ResultError(
                f"match {self.match}: luck of {len(self.luck)} seats, not {len(placings)}"
            )


@dataclass(frozen=True, slots=True)
class MatchColumns:
    """The n matches of one table size of s seats, in the order of the log."""

    bots: NDArray[np.int32]
    """(n, s): per seat, an index into the log's `bots`."""
    placings: NDArray[np.int16]
    """(n, s): 1 is best, ties are equal."""
    blocks: IntArray
    """(n,): the number of the block, or NO_BLOCK."""
    numbers: IntArray
    """(n,): the match's position in the log, ascending."""
    luck: FloatArray | None = None
    """(n, s): points above expectation, 0 where not measured; None if no match has luck."""

    @property
    def seats(self) -> int:
        """The table size s."""
        return int(self.bots.shape[1])

    def __len__(self) -> int:
        return len(self.blocks)

    def rows(self, chosen: slice | NDArray[np.bool_]) -> "MatchColumns":
        """Return the columns of the chosen matches."""
        return MatchColumns(
            self.bots[chosen],
            self.placings[chosen],
            self.blocks[chosen],
            self.numbers[chosen],
            None if self.luck is None else self.luck[chosen],
        )


class _Columns:
    """A growing table; its capacity doubles, so that the mean cost of an append is constant.

    Luck has no column before the first match with luck.
    """

    def __init__(self, seats: int, rows: int = 0) -> None:
        self.rows = rows
        capacity = rows
        self.bots = np.empty((capacity, seats), np.int32)
        self.placings = np.empty((capacity, seats), np.int16)
        self.blocks = np.empty(capacity, np.int64)
        self.numbers = np.empty(capacity, np.int64)
        self.luck: FloatArray | None = None

    def append(
        self,
        bots: Sequence[int],
        placings: Sequence[int],
        block: int,
        number: int,
        luck: Sequence[float] | None,
    ) -> None:
        """Append a match, doubling the capacity if the table is full."""
        if self.rows == len(self.blocks):
            grown = _Columns(self.bots.shape[1], max(16, 2 * self.rows))
            names = ["bots", "placings", "blocks", "numbers"]
            if self.luck is not None:
                grown.luck = np.empty(grown.bots.shape)
                names.append("luck")
            for name in names:
                getattr(grown, name)[: self.rows] = getattr(self, name)
            self.__dict__.update(grown.__dict__ | {"rows": self.rows})
        row = self.rows
        if luck is not None and self.luck is None:
            self.luck = np.zeros(self.bots.shape)
        if self.luck is not None:
            self.luck[row] = 0.0 if luck is None else luck
        self.bots[row] = bots
        self.placings[row] = placings
        self.blocks[row] = block
        self.numbers[row] = number
        self.rows += 1

    def table(self) -> MatchColumns:
        """Return views of the used rows."""
        whole = MatchColumns(self.bots, self.placings, self.blocks, self.numbers, self.luck)
        return whole.rows(slice(self.rows))


class Results(Generic[BotT]):
    """An append-only log of matches, stored as one `MatchColumns` per table size.

    Raises:
        ResultError: A match id is repeated.
    """

    def __init__(self, matches: Iterable[MatchResult[BotT]] = ()) -> None:
        self._bot_numbers: dict[BotT, int] = {}
        self._block_numbers: dict[Hashable, int] = {}
        self._match_numbers: dict[Hashable, int] = {}
        self._columns: dict[int, _Columns] = {}
        for match in matches:
            self.append(match)

    @classmethod
    def of_rows(
        cls,
        rows: Iterable[tuple[Hashable, Hashable | None, Sequence[tuple[BotT, int]]]],
    ) -> "Results[BotT]":
        """Return the log of rows (match id, block id or None, [(bot, placing), …])."""
        return cls(MatchResult(match, tuple(seats), block) for match, block, seats in rows)

    @classmethod
    def of_tables(cls, bots: Sequence[BotT], tables: Iterable[MatchColumns]) -> "Results[BotT]":
        """Return the log of whole columns, fast for many matches.

        The ids of matches and blocks are their numbers.

        Args:
            bots: The bots to which the columns' indices refer.
            tables: At most one table per table size; `numbers` must be 0 to n - 1 over all tables.

        Raises:
            ResultError: A match breaks a rule of `MatchResult`.
        """
        log = cls()
        log._bot_numbers = {bot: number for number, bot in enumerate(bots)}
        tables = [table for table in tables if len(table)]
        for table in tables:
            check_table(table, len(bots))
            columns = log._columns[table.seats] = _Columns(table.seats, len(table))
            columns.bots[:] = table.bots
            columns.placings[:] = table.placings
            columns.numbers[:] = table.numbers
            columns.luck = None if table.luck is None else table.luck.astype(np.float64)
        # Internally blocks are renumbered 0, 1, …
        blocks = np.concatenate([table.blocks for table in tables] or [np.empty(0, np.int64)])
        ids, inverse = np.unique(blocks[blocks != NO_BLOCK], return_inverse=True)
        blocks[blocks != NO_BLOCK] = inverse
        start = 0
        for table in tables:
            log._columns[table.seats].blocks[:] = blocks[start : start + len(table)]
            start += len(table)
        log._block_numbers = {id_: number for number, id_ in enumerate(ids.tolist())}
        log._match_numbers = {number: number for number in range(len(log))}
        return log

    @property
    def bots(self) -> tuple[BotT, ...]:
        """Every bot that played, in order of first appearance; columns hold indices into it."""
        return tuple(self._bot_numbers)

    @property
    def tables(self) -> tuple[MatchColumns, ...]:
        """The columns by ascending table size, as views that are valid until the next append."""
        return tuple(self._columns[seats].table() for seats in sorted(self._columns))

    def __len__(self) -> int:
        return sum(columns.rows for columns in self._columns.values())

    def append(self, match: MatchResult[BotT]) -> None:
        """Append a match; the cost depends on its seats only, not on the length of the log.

        Raises:
            ResultError: The match id is in the log already.
        """
        if match.match in self._match_numbers:
            raise ResultError(f"match {match.match} comes twice")
        number = self._match_numbers.setdefault(match.match, len(self._match_numbers))
        bots = [self._bot_numbers.setdefault(b, len(self._bot_numbers)) for b, _ in match.seats]
        block = NO_BLOCK
        if match.block is not None:
            block = self._block_numbers.setdefault(match.block, len(self._block_numbers))
        if len(match.seats) not in self._columns:
            self._columns[len(match.seats)] = _Columns(len(match.seats))
        placings = [placing for _, placing in match.seats]
        self._columns[len(match.seats)].append(bots, placings, block, number, match.luck)

    def matches(self) -> Iterator[MatchResult[BotT]]:
        """Return an iterator over every match, in the order of the log."""
        bots = self.bots
        ids = list(self._match_numbers)
        blocks: dict[int, Hashable] = {number: id_ for id_, number in self._block_numbers.items()}
        found: list[tuple[int, MatchResult[BotT]]] = []
        for table in self.tables:
            lucks = repeat(None) if table.luck is None else map(tuple, table.luck.tolist())
            for seated, placings, block, number, luck in zip(
                table.bots.tolist(),
                table.placings.tolist(),
                table.blocks.tolist(),
                table.numbers.tolist(),
                lucks,
                strict=False,
            ):
                seats = tuple((bots[b], p) for b, p in zip(seated, placings, strict=True))
                found.append((number, MatchResult(ids[number], seats, blocks.get(block), luck)))
        found.sort(key=lambda numbered: numbered[0])
        return (match for _, match in found)

    def first(self, count: int) -> "Results[BotT]":
        """Return a new log with the first `count` matches; their ids are their numbers."""
        kept = [table.rows(table.numbers < count) for table in self.tables]
        return self._of_rows(kept)

    def every(self, step: int) -> "Results[BotT]":
        """Return a new log with every `step`-th block or match outside a block; blocks stay whole.

        The same log gives the same choice. The ids of matches are their numbers.
        """
        tables = self.tables
        numbered = zip(tables, cluster_numbers(tables), strict=True)
        return self._of_rows([table.rows(cluster % step == 0) for table, cluster in numbered])

    def _of_rows(self, tables: Sequence[MatchColumns]) -> "Results[BotT]":
        """Return a log of these rows in their old order, with the remaining bots renumbered."""
        tables = [table for table in tables if len(table)]
        if not tables:
            return Results()
        bots = np.unique(np.concatenate([table.bots.ravel() for table in tables]))
        numbers = np.unique(np.concatenate([table.numbers for table in tables]))
        names = self.bots
        return Results.of_tables(
            [names[index] for index in bots.tolist()],
            [
                MatchColumns(
                    np.searchsorted(bots, table.bots).astype(np.int32),
                    table.placings,
                    table.blocks,
                    np.searchsorted(numbers, table.numbers).astype(np.int64),
                    table.luck,
                )
                for table in tables
            ],
        )


def cluster_numbers(tables: Sequence[MatchColumns]) -> list[IntArray]:
    """Return the numbers of the clusters of matches, (n,) per table.

    A match in a block has the block's number; matches outside blocks have higher numbers.

    Args:
        tables: The matches, by table size.
    """
    free = 1 + max((int(table.blocks.max(initial=NO_BLOCK)) for table in tables), default=NO_BLOCK)
    return [
        np.where(table.blocks == NO_BLOCK, free + table.numbers, table.blocks) for table in tables
    ]


def check_table(table: MatchColumns, bots: int) -> None:
    """Check a whole table as `MatchResult` checks a match.

    Args:
        table: The matches.
        bots: The number of bots to which the indices refer.

    Raises:
        ResultError: A match breaks a rule of `MatchResult`.
    """
    if not len(table):
        return
    if table.seats < 2:
        raise ResultError("a table with one seat, needs at least two")
    if table.luck is not None and table.luck.shape != table.bots.shape:
        raise ResultError("luck of another number of matches or seats")
    if table.bots.min() < 0 or table.bots.max() >= bots:
        raise ResultError("a seat's bot is not in the list of bots")
    seated = np.sort(table.bots, axis=1)
    if (seated[:, 1:] == seated[:, :-1]).any():
        raise ResultError("a bot sits in two seats of one match")
    if table.placings.max() > table.seats or (table.placings.min(axis=1) != 1).any():
        raise ResultError("a placing outside 1 to the number of seats, or nobody in first place")
