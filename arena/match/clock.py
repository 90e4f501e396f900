"""The time control of a match: a limit per turn and a time bank per match."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The turn limit and the time bank in milliseconds; overtime is taken from the bank."""

    turn_ms: int = 2_000
    bank_ms: int = 30_000


class TimeBank:
    """The time bank of one seat in one match."""

    def __init__(self, control: TimeControl) -> None:
        self._control = control
        self.left_ms = control.bank_ms

    @property
    def allowed_ms(self) -> int:
        """The longest the next turn may take."""
        return self._control.turn_ms + self.left_ms

    def left_after(self, elapsed_ms: int) -> tuple[int, int]:
        """(turn time left, bank left) in milliseconds, after `elapsed_ms` of a turn."""
        turn_ms = self._control.turn_ms - elapsed_ms
        return max(0, turn_ms), self.left_ms if turn_ms >= 0 else max(0, self.left_ms + turn_ms)

    def spend(self, elapsed_ms: int) -> None:
        """Take the overtime of a turn from the bank."""
        overtime = elapsed_ms - self._control.turn_ms
        if overtime > 0:
            self.left_ms = max(0, self.left_ms - overtime)

    def overrun(self, elapsed_ms: int) -> str:
        """Spend the time of a turn that went unanswered. Returns the reason of the fault."""
        reason = (
            f"no answer within {self.allowed_ms} ms: "
            f"{self._control.turn_ms} ms for a turn, {self.left_ms} ms in the bank"
        )
        self.spend(elapsed_ms)
        return reason
