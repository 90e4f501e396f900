"""Which table of the rated ladder is opened next: fair to ladders and opponents, at a pace.

Bots of the house play among themselves at a pace, so that an arena with nobody else in it leaves
the machine alone. A table with anybody else's bot waits for nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.hosting.connected_bots import ConnectedBot, one_each
from arena.scheduling.ladder import Candidate, MeetingCounts, RunningPairs, TableType, next_table
from arena.scheduling.pace import Pace


@dataclass(frozen=True, slots=True)
class LadderTable:
    """A table that can be opened now: its ladder, and the bots in no order of seats."""

    ladder: TableType
    bots: tuple[Candidate, ...]


class LadderTables:
    """The ladders of a director with the places that their running blocks take."""

    def __init__(
        self, ladders: Sequence[TableType], counts: MeetingCounts, house_pace: float
    ) -> None:
        self._ladders = ladders
        self._counts = counts
        self._seats_in_play = {ladder.key: 0 for ladder in ladders}
        self._running_pairs = {ladder.key: RunningPairs() for ladder in ladders}
        # A pace for each, so that every ladder has a start of its own.
        share = house_pace / max(1, len(ladders))
        self._paces = {ladder.key: Pace(share) for ladder in ladders}
        self._quota = 0.0

    def share_out(self, present: Iterable[ConnectedBot]) -> None:
        """Spread the places over the ladders, so that small tables do not starve large ones, and
        over the opponents."""
        present = list(present)
        candidates = one_each(present)
        possible = sum(
            next_table(ladder, candidates, self._counts) is not None for ladder in self._ladders
        )
        places: dict[int, int] = defaultdict(int)
        for guest in present:
            places[guest.candidate.bot] += guest.participant.max_matches
        self._quota = sum(places.values()) / max(1, possible)
        for ladder in self._ladders:
            self._running_pairs[ladder.key].share_out(places, ladder.seats)

    def next(self, free: Sequence[Candidate], now: float) -> LadderTable | float | None:
        """The table to open now; else the time at which the pace allows one; else None."""
        paced: list[float] = []
        for ladder in sorted(self._ladders, key=lambda ladder: self._seats_in_play[ladder.key]):
            if self._seats_in_play[ladder.key] >= self._quota:
                continue
            pairs = self._running_pairs[ladder.key]
            chosen = next_table(ladder, free, self._counts, pairs)
            ready_at = self._paces[ladder.key].ready_at(ladder.seats)
            if chosen is not None and ready_at > now and _only_house(chosen):
                paced.append(ready_at)
                chosen = next_table(ladder, free, self._counts, pairs, with_guest=True)
            if chosen is not None:
                return LadderTable(ladder, chosen)
        return min(paced, default=None)

    def opened(self, ladder: TableType, bots: Sequence[Candidate], now: float) -> None:
        """A block of a ladder begins."""
        if _only_house(bots):
            self._paces[ladder.key].spend(now, ladder.seats)

    def occupied(self, ladder: TableType, bots: Sequence[Candidate]) -> None:
        """A block of a ladder takes its places, just begun or adopted."""
        self._occupy(ladder, bots, 1)

    def closed(self, ladder: TableType, bots: Sequence[Candidate]) -> None:
        """A block of a ladder is over."""
        self._occupy(ladder, bots, -1)

    def _occupy(self, ladder: TableType, bots: Sequence[Candidate], by: int) -> None:
        if ladder.key not in self._seats_in_play:
            return  # a block of an earlier referee that had other ladders
        self._seats_in_play[ladder.key] += by * ladder.seats
        self._running_pairs[ladder.key].change([candidate.bot for candidate in bots], by)


def _only_house(bots: Iterable[Candidate]) -> bool:
    return all(candidate.house for candidate in bots)
