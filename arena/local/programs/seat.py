"""`ProgramSeat`: one seat of one match, with the times that show whether its program hangs."""

from collections.abc import Callable

from arena.match.flow import OpenTurn, Refused
from arena.server.play.remote_player import RemotePlayer
from arena.server.play.session import Session
from arena.v1 import referee_pb2


class Attention:
    """The times when a program was asked, and when it last answered."""

    def __init__(self) -> None:
        self.open: dict[RemotePlayer, float] = {}
        """The time at which each open turn began, oldest first."""
        self.heard = 0.0
        """The time of its last answer."""

    def silent_seconds(self, now: float) -> float:
        """Return for how many seconds the program has had an open turn and answered nothing."""
        oldest = next(iter(self.open.values()), now)
        return now - max(oldest, self.heard)


class ProgramSeat(RemotePlayer):
    """A seat that records the times of open turns and answers."""

    def __init__(self, session: Session, attention: Attention, now: Callable[[], float]) -> None:
        super().__init__(session)
        self._attention = attention
        self._now = now

    def ask(self, turn: OpenTurn, turn_ms: int, bank_ms: int) -> None:
        self._attention.open[self] = self._now()
        super().ask(turn, turn_ms, bank_ms)

    def refuse(self, refused: Refused, faults: int) -> None:
        self._attention.open.pop(self, None)
        super().refuse(refused, faults)

    def answer(self, answer: referee_pb2.Answer) -> bool:
        self._attention.heard = self._now()
        self._attention.open.pop(self, None)
        return super().answer(answer)

    def withdraw(self, reason: str) -> None:
        self._attention.open.pop(self, None)
        super().withdraw(reason)
