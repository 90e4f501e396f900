"""The clocks of a match's seats: time to think, the banks, and how long a bot may be away.

After a restart of the referee every seat is expected: its clock stands still until its bot is back
for the first time, because time without a referee is charged to nobody. The grace ends the wait.
"""

from collections.abc import Iterable

from arena.match.clock import TimeBank, TimeControl
from arena.server.play.ports import Timer


class SeatClocks:
    """The clocks of the seats of one match.

    Turns that are put at the same moment start together.
    """

    def __init__(
        self, seats: int, control: TimeControl, grace_seconds: float, timer: Timer
    ) -> None:
        self.banks = [TimeBank(control) for _ in range(seats)]
        self._timer = timer
        self._grace_seconds = grace_seconds
        self._asked_at = 0.0
        self._started_at: dict[int, float] = {}
        """Where a seat's turn started later than it was put: its bot came back in between."""
        self._away_since: dict[int, float] = {}
        self._expected: set[int] = set()

    def put(self) -> None:
        """Turn are put now."""
        self._asked_at = self._timer.now()
        if self._started_at:
            self._started_at.clear()

    def expect_all(self) -> None:
        """Expect every bot, as the referee has just started: nobody is back yet."""
        self._away_since = dict.fromkeys(range(len(self.banks)), self._timer.now())
        self._expected = set(self._away_since)

    def left(self, seat: int) -> bool:
        """Note that the bot is away.

        False if it was so before.
        """
        if seat in self._away_since:
            return False
        self._away_since[seat] = self._timer.now()
        return True

    def returned(self, seat: int) -> bool:
        """Note that the bot is back.

        False if it was not away.
        """
        if self._away_since.pop(seat, None) is None:
            return False
        if seat in self._expected:
            self._expected.discard(seat)
            self._started_at[seat] = self._timer.now()
        return True

    def gone_for_good(self, seat: int) -> bool:
        """Whether the bot has been away for longer than the grace."""
        if not self._away_since:
            return False
        away = self._away_since.get(seat)
        return away is not None and self._timer.now() >= away + self._grace_seconds

    def elapsed_ms(self, seat: int) -> int:
        """How long the seat's open turn has taken so far."""
        if seat in self._expected:
            return 0
        started = self._asked_at
        if self._started_at:
            started = self._started_at.get(seat, started)
        return int((self._timer.now() - started) * 1000)

    def spend(self, replies: Iterable[tuple[int, int]]) -> None:
        """(seat, milliseconds) that turns took: their overtime comes out of the banks."""
        for seat, milliseconds in replies:
            self.banks[seat].spend(milliseconds)

    def time_left_ms(self, seat: int) -> tuple[int, int]:
        """Return what is left of the open turn's own time, and of the bank."""
        return self.banks[seat].left_after(self.elapsed_ms(seat))

    def deadline(self, seat: int) -> float:
        """When the seat's open turn is over, by its clock or its absence."""
        away = self._away_since.get(seat) if self._away_since else None
        gone = None if away is None else away + self._grace_seconds
        if gone is not None and seat in self._expected:
            return gone
        started = self._asked_at
        if self._started_at:
            started = self._started_at.get(seat, started)
        deadline = started + self.banks[seat].allowed_ms / 1000
        return deadline if gone is None else min(deadline, gone)
