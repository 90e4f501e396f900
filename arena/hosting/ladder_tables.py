"""Chooses the next table of the rated ladder: fair to ladders and opponents, house bots paced.

Matches among house bots only are limited to a pace, so that an arena without other bots does not
keep the machine busy. A table with any other bot is opened without delay.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from arena.hosting.connected_bots import ConnectedBot, one_per_version
from arena.scheduling.ladder import Candidate, MeetingCounts, TableType, next_table
from arena.scheduling.pace import Pace
from arena.scheduling.shares import HeldTime, SharedPlaces


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
        self._places: Mapping[int, int] = {}
        self._shared = {table_type.key: SharedPlaces(self._time) for table_type in table_types}
        # A pace for each, so that every type has a start of its own.
        share = house_pace / max(1, len(table_types))
        self._paces = {table_type.key: Pace(share) for table_type in table_types}
        self._quota = 0.0

    def share_out(self, present: Iterable[ConnectedBot]) -> None:
        """Share the places among the ladders, so that small tables do not starve large ones, and
        among the opponents."""
        present = list(present)
        candidates = one_per_version(present)
        possible = sum(
            next_table(table_type, candidates, self._counts) is not None
            for table_type in self._table_types
        )
        places: dict[int, int] = defaultdict(int)
        for bot in present:
            places[bot.candidate.bot] += bot.participant.max_matches
        self._quota = sum(places.values()) / max(1, possible)
        self._places = places
        self._time.share_out(candidates)
        for table_type in self._table_types:
            self._shared[table_type.key].share_out(places, table_type.seats)

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

    def held(
        self,
        bots: Sequence[Candidate],
        seconds: float,
        matches: int,
        thought: Mapping[int, float],
        now: float,
    ) -> float | None:
        """A block of so many matches held its bots' places for so many seconds; `thought` are those
        that each bot took for its decisions. Returns when to look again, if bots rest until then
        from each other."""
        return self._time.held(bots, self._places, seconds, matches, thought, now)

    def _occupy(self, table_type: TableType, bots: Sequence[Candidate], by: int) -> None:
        if table_type.key not in self._seats_in_play:
            return  # a block of an earlier referee, which had other ladders
        self._seats_in_play[table_type.key] += by * table_type.seats
        self._shared[table_type.key].change(bots, by)


def _only_house(bots: Iterable[Candidate]) -> bool:
    return all(candidate.house for candidate in bots)
