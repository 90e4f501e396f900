"""The clocks of a match's seats: time to think, the banks, and how long a bot may be away.

After a restart of the referee every seat is "expected": its clock does not run until its bot is
back for the first time, because no bot pays for the time without a referee. The grace limits the
wait.
"""

from arena.match.clock import TimeBank, TimeControl
from arena.server.play.ports import Timer


class SeatClocks:
    """The clocks of the seats of one match.

    Turns that are put at the same moment start together.
    """

    def __init__(
        self, seats: int, control: TimeControl, grace_seconds: float, timer: Timer
    ) -> None:
        self.turn_ms = control.turn_ms
        self.banks = [TimeBank(control) for _ in range(seats)]
        self.asked_at = 0.0
        """When the open turns were put."""
        self.shortest = (control.turn_ms + control.bank_ms) / 1000
        """The shortest time, in seconds, that any seat has for a turn, unless its bot is away."""
        self.away_since: dict[int, float] = {}
        """When each bot that is away has left, by seat."""
        self._timer = timer
        self._grace_seconds = grace_seconds
        self._back_at: dict[int, float] = {}
        """When each expected bot came back, by seat; its clock for an earlier turn starts then."""
        self._expected: set[int] = set()

    def expect_all(self) -> None:
        """Expect every bot: the referee has just started, and no bot is back yet."""
        self.away_since = dict.fromkeys(range(len(self.banks)), self._timer.now())
        self._expected = set(self.away_since)

    def left(self, seat: int) -> bool:
        """Note that the bot is away.

        False if it was away already.
        """
        if seat in self.away_since:
            return False
        self.away_since[seat] = self._timer.now()
        return True

    def returned(self, seat: int) -> bool:
        """Note that the bot is back.

        False if it was not away.
        """
        if self.away_since.pop(seat, None) is None:
            return False
        if seat in self._expected:
            self._expected.discard(seat)
            self._back_at[seat] = self._timer.now()
        return True

    def gone_for_good(self, seat: int) -> bool:
        """Whether the bot has been away for longer than the grace."""
        away = self.away_since.get(seat)
        return away is not None and self._timer.now() >= away + self._grace_seconds

    def elapsed_ms(self, seat: int) -> int:
        """How long the seat's open turn has taken so far."""
        if seat in self._expected:
            return 0
        started = self.asked_at
        if self._back_at:
            started = max(started, self._back_at.get(seat, started))
        return int((self._timer.now() - started) * 1000)

    def spend(self, seat: int, milliseconds: int) -> None:
        """Take the overtime of a turn of this length from the seat's bank."""
        self.banks[seat].spend(milliseconds)
        self.shortest = self._shortest_turn()

    def overrun(self, seat: int) -> tuple[int, str]:
        """Spend the time of the seat's open turn, which is over.

        Returns how long it took, in milliseconds, and the reason of the fault.
        """
        elapsed = self.elapsed_ms(seat)
        reason = self.banks[seat].overrun(elapsed)
        self.shortest = self._shortest_turn()
        return elapsed, reason

    def time_left_ms(self, seat: int) -> tuple[int, int]:
        """Return the milliseconds left of the open turn's own time, and of the bank."""
        return self.banks[seat].left_after(self.elapsed_ms(seat))

    def deadline(self, seat: int) -> float:
        """Return when the seat's open turn ends, by its clock or by its bot's absence."""
        away = self.away_since.get(seat)
        gone = None if away is None else away + self._grace_seconds
        if gone is not None and seat in self._expected:
            return gone
        started = self.asked_at
        if self._back_at:
            started = max(started, self._back_at.get(seat, started))
        deadline = started + self.banks[seat].allowed_ms / 1000
        return deadline if gone is None else min(deadline, gone)

    def _shortest_turn(self) -> float:
        """Return the shortest time, in seconds, that any seat has for its next turn."""
        return min(bank.allowed_ms for bank in self.banks) / 1000
