"""`OpenTurns`: the turns that a match waits for, their clocks, and the replies given so far."""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from types import MappingProxyType
from typing import Final, TypeAlias

from arena.match.clock import TimeControl
from arena.match.faults import REASONS, Fault, FaultKind
from arena.match.flow import OpenTurn, Reply
from arena.server.play.alarm import nobody
from arena.server.play.ports import Timer
from arena.server.play.seat_clocks import SeatClocks

KeepReply: TypeAlias = Callable[[int, Reply], None]
"""A callback that keeps an accepted reply: the seat and what it replied."""


class OpenTurns:
    """The open turns of one match.

    Its turns are sent together. When the last of them is replied to, `complete` is called with the
    replies in the order of the turns, and the match continues.
    """

    def __init__(
        self,
        seats: int,
        control: TimeControl,
        grace_seconds: float,
        timer: Timer,
        complete: Callable[[list[Reply]], None],
    ) -> None:
        self.clocks = SeatClocks(seats, control, grace_seconds, timer)
        self._timer = timer
        self.keep: KeepReply = nobody
        self.replies: list[Reply] = []
        """The replies in the order of the turns; `_NOT_YET` stands for a missing one."""
        self.waited_for = 0
        """How many of the open turns have no reply; the match continues when none is left."""
        self._turns: Sequence[OpenTurn] = ()
        self._complete = complete

    @property
    def deadline(self) -> float:
        """The time at which the first open turn ends; infinity if none is open."""
        return min(
            [
                self.clocks.deadline(turn.seat)
                for turn, reply in zip(self._turns, self.replies, strict=True)
                if reply is _NOT_YET
            ],
            default=inf,
        )

    def put(
        self, turns: Sequence[OpenTurn], given: Mapping[int, Reply] = MappingProxyType({})
    ) -> Sequence[OpenTurn]:
        """Begin the next turns, and return those to send to their bots.

        Omitted are the turns of seats that have `given` their reply already, and of bots that are
        gone for good.
        """
        self._turns, self.waited_for = turns, len(turns)
        self.replies = [_NOT_YET] * len(turns)
        self.clocks.asked_at = self._timer.now()
        if not given and not self.clocks.away_since:
            return turns
        to_ask = []
        for place, turn in enumerate(turns):
            if turn.seat in given:
                self.replies[place] = given[turn.seat]
                self.waited_for -= 1
            elif self.clocks.gone_for_good(turn.seat):
                self._accept(place, _ABSENT)
            else:
                to_ask.append(turn)
        return to_ask

    def reply(self, seat: int, turn_number: int, reply: Reply) -> bool:
        """Take a reply. Returns False, without effect, if no such turn is open."""
        for place, turn in enumerate(self._turns):
            if turn.seat == seat and turn.number == turn_number:
                if self.replies[place] is not _NOT_YET:
                    return False
                if reply.milliseconds > self.clocks.turn_ms:
                    self.clocks.spend(seat, reply.milliseconds)
                self.replies[place] = reply
                self.waited_for -= 1
                self.keep(seat, reply)
                if not self.waited_for:
                    self._complete(self.replies)
                return True
        return False

    def close(self) -> None:
        """Take no further replies, and release the match."""
        self._turns, self._complete = (), nobody

    def expire(self, now: float) -> list[tuple[OpenTurn, Fault]]:
        """Enter a fault as the reply of each seat whose time is over.

        Returns these turns with their faults.
        """
        expired = []
        for place, turn in enumerate(self._turns):
            if self.replies[place] is not _NOT_YET or now < self.clocks.deadline(turn.seat):
                continue
            if self.clocks.gone_for_good(turn.seat):
                fault = _ABSENT
            else:
                fault = Fault(FaultKind.LATE, *self.clocks.overrun(turn.seat))
            self._accept(place, fault)
            expired.append((turn, fault))
        return expired

    def _accept(self, place: int, reply: Reply) -> None:
        self.replies[place] = reply
        self.waited_for -= 1
        self.keep(self._turns[place].seat, reply)


_NOT_YET: Final = Fault(FaultKind.LATE)
"""The placeholder for a missing reply."""
_ABSENT: Final = Fault(FaultKind.ABSENT, 0, REASONS[FaultKind.ABSENT])
