"""`Unanswered`: the turns that a program was asked and has not answered yet."""

from collections import OrderedDict
from typing import Final, TypeAlias

TurnId: TypeAlias = tuple[str, int]
"""The id of the match and the number of the turn."""

MOST_UNANSWERED_TURNS: Final = 4096
"""The maximum number of turns stored for a program; the oldest is dropped first."""


class Unanswered:
    """The open turns of a program, which distinguish a late answer from one to a turn never asked.

    Turns stay open after the end of their match. A turn that is asked again, as after a stop of the
    referee, may be answered once more. Times are in seconds of one monotonic clock.
    """

    def __init__(self) -> None:
        self._open: OrderedDict[TurnId, int] = OrderedDict()
        """The number of answers that each turn may still receive."""
        self.turns_in_silence = 0
        """The number of turns that the program was asked since its last answer."""
        self.silent_since = 0.0
        """The time when the program was first asked since its last answer."""

    def asked(self, turn: TurnId, now: float) -> None:
        """Record a turn that the program is asked."""
        self._open[turn] = self._open.pop(turn, 0) + 1
        if len(self._open) > MOST_UNANSWERED_TURNS:
            self._open.popitem(last=False)
        if self.turns_in_silence == 0:
            self.silent_since = now
        self.turns_in_silence += 1

    def answered(self, turn: TurnId) -> bool:
        """Record an answer, in time or late, and return whether the program was asked for it."""
        times = self._open.get(turn, 0)
        if times == 0:
            return False
        if times == 1:
            del self._open[turn]
        else:
            self._open[turn] = times - 1
        self.turns_in_silence = 0
        return True
