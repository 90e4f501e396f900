"""Seats that bots declined or did not take, and get the next time they are offered one."""

from collections.abc import Hashable, Sequence

from arena.scheduling.ladder import Candidate

MOST_OWED = 100_000


class OwedSeats:
    """By version and kind of table. Without it a bot could decline until its seat is a good one."""

    def __init__(self) -> None:
        self._seats: dict[tuple[int, Hashable], int] = {}

    def owe(self, version: int, kind: Hashable, seat: int) -> None:
        """A version did not take a seat that it was offered."""
        if len(self._seats) < MOST_OWED:
            self._seats[version, kind] = seat

    def taken(self, version: int, kind: Hashable, seat: int) -> None:
        """The version began a block at such a table in this seat."""
        if self._seats.get((version, kind)) == seat:
            del self._seats[version, kind]

    def arrange(self, kind: Hashable, order: Sequence[Candidate]) -> list[Candidate]:
        """The order of seats, with those who are owed one in it; of two, the first gets it."""
        owed: dict[int, Candidate] = {}
        for candidate in order:
            seat = self._seats.get((candidate.bot, kind))
            if seat is not None:
                owed.setdefault(seat, candidate)
        placed = {candidate.bot for candidate in owed.values()}
        others = iter([candidate for candidate in order if candidate.bot not in placed])
        return [owed[seat] if seat in owed else next(others) for seat in range(len(order))]
