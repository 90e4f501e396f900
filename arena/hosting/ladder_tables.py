"""Chooses the next table of the rated ladder: fair to ladders and opponents, house bots paced.

Matches among house bots only are limited to a pace, so that an arena without other bots does not
keep the machine busy. A table with any other bot is opened without delay.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.hosting.connected_bots import ConnectedBot, one_each
from arena.scheduling.ladder import Candidate, MeetingCounts, RunningPairs, TableType, next_table
from arena.scheduling.pace import Pace


@dataclass(frozen=True, slots=True)
class LadderTable:
    """A table that can be opened now: its ladder and its bots, not yet in seat order."""

    ladder: TableType
    bots: tuple[Candidate, ...]


class LadderTables:
    """The ladders of a director and the places that their running blocks hold."""

    def __init__(
        self, ladders: Sequence[TableType], counts: MeetingCounts, house_pace: float
    ) -> None:
        self._ladders = ladders
        self._counts = counts
        self._seats_in_play = {ladder.key: 0 for ladder in ladders}
        self._running_pairs = {ladder.key: RunningPairs() for ladder in ladders}
        # A pace for each, so that every ladder starts at full speed.
        share = house_pace / max(1, len(ladders))
        self._paces = {ladder.key: Pace(share) for ladder in ladders}
        self._quota = 0.0

    def share_out(self, present: Iterable[ConnectedBot]) -> None:
        """Share the places among the ladders, so that small tables do not starve large ones, and
        among the opponents."""
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
        """The table to open now, or the time at which the pace allows one, or None."""
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
        """Count a block of a ladder that begins."""
        if _only_house(bots):
            self._paces[ladder.key].spend(now, ladder.seats)
        self._occupy(ladder, bots, 1)

    def closed(self, ladder: TableType, bots: Sequence[Candidate]) -> None:
        """Count off a block of a ladder that is over."""
        self._occupy(ladder, bots, -1)

    def _occupy(self, ladder: TableType, bots: Sequence[Candidate], by: int) -> None:
        self._seats_in_play[ladder.key] += by * ladder.seats
        self._running_pairs[ladder.key].change([candidate.bot for candidate in bots], by)


def _only_house(bots: Iterable[Candidate]) -> bool:
    return all(candidate.house for candidate in bots)
