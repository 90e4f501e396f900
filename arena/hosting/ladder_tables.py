"""Chooses the next table of the rated ladder: fair to ladders and opponents, house bots paced.

Matches among house bots only are limited to a pace, so that an arena without other bots does not
keep the machine busy. A table with any other bot is opened without delay.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from arena.hosting.attendance import Attendance
from arena.hosting.connected_bots import ConnectedBot
from arena.match.clock import DEFAULT_TIME_CONTROL
from arena.scheduling.ladder import Candidate, MeetingCounts, TableType, next_table
from arena.scheduling.pace import Pace
from arena.scheduling.shares import BlockTime, HeldTime, SharedPlaces


@dataclass(frozen=True, slots=True)
class LadderTable:
    """A table that can be opened now: its type, and the bots in no order of seats."""

    table_type: TableType
    bots: tuple[Candidate, ...]


class LadderTables:
    """The ladders of a director and the places that their running blocks hold."""

    def __init__(
        self, table_types: Sequence[TableType], counts: MeetingCounts, house_pace: float
    ) -> None:
        self._table_types = table_types
        self._counts = counts
        self._seats_in_play = {table_type.key: 0 for table_type in table_types}
        self._time = HeldTime()
        self._attendance = Attendance(table_types)
        self._shared = {
            table_type.key: SharedPlaces(self._time, self._attendance.places, table_type.seats)
            for table_type in table_types
        }
        # A pace for each, so that every type has a start of its own.
        share = house_pace / max(1, len(table_types))
        self._paces = {table_type.key: Pace(share) for table_type in table_types}
        self._quota = 0.0

    def came(self, bot: ConnectedBot) -> None:
        """A bot is connected, or connected anew: its places are shared among the ladders and among
        its opponents."""
        if self._attendance.came(bot):
            self._time.came(bot.candidate)
        self._quota = self._attendance.quota

    def left(self, bot: ConnectedBot) -> None:
        """A bot is gone, or leaves and begins no further block."""
        if self._attendance.left(bot):
            self._time.left(bot.candidate)
        self._quota = self._attendance.quota

    def next(self, free: Sequence[Candidate], now: float) -> LadderTable | float | None:
        """The table to open now, or the time at which the pace allows one, or None."""
        paced: list[float] = []
        for table_type in sorted(
            self._table_types, key=lambda table_type: self._seats_in_play[table_type.key]
        ):
            if self._seats_in_play[table_type.key] >= self._quota:
                continue
            may_sit = partial(self._shared[table_type.key].allow, now=now)
            chosen = next_table(table_type, free, self._counts, may_sit)
            ready_at = self._paces[table_type.key].ready_at(table_type.seats)
            if chosen is not None and ready_at > now and _only_house(chosen):
                paced.append(ready_at)
                chosen = next_table(table_type, free, self._counts, may_sit, with_visitor=True)
            if chosen is not None:
                return LadderTable(table_type, chosen)
        return min(paced, default=None)

    def opened(self, table_type: TableType, bots: Sequence[Candidate], now: float) -> None:
        """A block at such a table begins."""
        if _only_house(bots):
            self._paces[table_type.key].spend(now, table_type.seats)

    def occupied(self, table_type: TableType, bots: Sequence[Candidate]) -> None:
        """A block at such a table takes its places, just begun or adopted."""
        self._occupy(table_type, bots, 1)

    def closed(self, table_type: TableType, bots: Sequence[Candidate]) -> None:
        """A block at such a table is over."""
        self._occupy(table_type, bots, -1)

    def charge(self, guest: Candidate, hosts: Sequence[Candidate], by: int) -> None:
        """A challenge of `guest` takes (1) or gives back (-1) a place of each of `hosts`."""
        for shared in self._shared.values():
            shared.charge(guest, hosts, by)

    def held(self, table_type: TableType, block: BlockTime, now: float) -> float | None:
        """A block is over. Returns when to look again, if bots rest until then from each other."""
        # Nobody is slow who takes half a minute where a turn has a whole one: time counts as it
        # would with the default turn.
        scale = min(1.0, DEFAULT_TIME_CONTROL.turn_ms / table_type.time_control.turn_ms)
        return self._time.held(block.scaled(scale), self._attendance.places, now)

    def _occupy(self, table_type: TableType, bots: Sequence[Candidate], by: int) -> None:
        if table_type.key not in self._seats_in_play:
            return  # a block of an earlier referee, which had other ladders
        self._seats_in_play[table_type.key] += by * table_type.seats
        self._shared[table_type.key].change(bots, by)


def _only_house(bots: Iterable[Candidate]) -> bool:
    return all(candidate.house for candidate in bots)
