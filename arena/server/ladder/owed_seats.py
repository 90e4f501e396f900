"""Seats that bots declined or did not take, and that they get the next time."""

from collections.abc import Hashable, Sequence

from arena.scheduling.ladder import Candidate

MOST_OWED = 100_000
MOST_OF_ONE = 64
"""The most seats owed to one version; until it has taken them, it begins in no other seat."""


class OwedSeats:
    """The seats owed to each version at each table type, in order.

    Without them a bot could decline, or leave in the middle of a block, until it gets a good seat.
    """

    def __init__(self) -> None:
        self._seats: dict[tuple[int, Hashable], list[int]] = {}

    def owe(self, version: int, table_type: Hashable, seat: int) -> None:
        """Record that a version did not take a seat that it was offered."""
        if len(self._seats) < MOST_OWED:
            owed = self._seats.setdefault((version, table_type), [])
            if len(owed) < MOST_OF_ONE:
                owed.append(seat)

    def taken(self, version: int, table_type: Hashable, seat: int) -> None:
        """Settle a seat owed to a version, after it played a block's first match in it."""
        owed = self._seats.get((version, table_type), [])
        if seat in owed:
            owed.remove(seat)
            if not owed:
                del self._seats[version, table_type]

    def arrange(self, table_type: Hashable, order: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates by seat, each that is owed a seat in it if possible.

        If two are owed the same seat, the first in `order` gets it.
        """
        owed: dict[int, Candidate] = {}
        for candidate in order:
            seats = self._seats.get((candidate.bot, table_type))
            if seats:
                owed.setdefault(seats[0], candidate)
        placed = {candidate.bot for candidate in owed.values()}
        others = iter([candidate for candidate in order if candidate.bot not in placed])
        return [owed[seat] if seat in owed else next(others) for seat in range(len(order))]
