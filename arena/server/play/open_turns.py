"""`OpenTurns`: the turns that a match waits for, their clocks, and the replies given so far."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from arena.match.clock import TimeControl
from arena.match.faults import Fault, FaultKind
from arena.match.flow import OpenTurn, Reply
from arena.server.play.ports import Timer
from arena.server.play.seat_clocks import SeatClocks

KeepReply: TypeAlias = Callable[[int, Reply], None]
"""A callback that keeps an accepted reply: the seat and what it replied."""


def keep_nothing(_seat: int, _reply: Reply) -> None:
    """Do nothing, where running matches are not kept."""


class OpenTurns:
    """The open turns of one match.

    Its turns are sent together, and the match continues when each has its reply.
    """

    def __init__(
        self, seats: int, control: TimeControl, grace_seconds: float, timer: Timer
    ) -> None:
        self.clocks = SeatClocks(seats, control, grace_seconds, timer)
        self.keep: KeepReply = keep_nothing
        self._turns: Sequence[OpenTurn] = ()
        self._replies: dict[int, Reply] = {}

    @property
    def all_replied(self) -> bool:
        """Whether every open turn has its reply, so that the match can continue."""
        return len(self._replies) == len(self._turns)

    @property
    def replies(self) -> list[Reply]:
        """The replies in the order of the turns."""
        return [self._replies[turn.seat] for turn in self._turns]

    @property
    def deadline(self) -> float:
        """The time at which the first open turn ends."""
        waited_for = [turn.seat for turn in self._turns if turn.seat not in self._replies]
        return min(map(self.clocks.deadline, waited_for))

    def put(
        self, turns: Sequence[OpenTurn], given: Mapping[int, Reply] = MappingProxyType({})
    ) -> list[OpenTurn]:
        """Begin the next turns, and return those to send to their bots.

        Omitted are the turns of seats that have `given` their reply already, and of bots that are
        gone for good.
        """
        self._turns, self._replies = turns, dict(given)
        self.clocks.put()
        to_ask = []
        for turn in turns:
            if turn.seat in given:
                continue
            if self.clocks.gone_for_good(turn.seat):
                self._accept(turn.seat, _ABSENT)
            else:
                to_ask.append(turn)
        return to_ask

    def reply(self, seat: int, turn_number: int, reply: Reply) -> bool:
        """Take a reply.

        Returns False, without effect, if no such turn is open.
        """
        if seat in self._replies:
            return False
        for turn in self._turns:
            if turn.seat == seat and turn.number == turn_number:
                break
        else:
            return False
        self.clocks.banks[seat].spend(reply.milliseconds)
        self._accept(seat, reply)
        return True

    def expire(self, now: float) -> None:
        """Enter a fault as the reply of each seat whose time is over."""
        for turn in self._turns:
            seat = turn.seat
            if seat in self._replies or now < self.clocks.deadline(seat):
                continue
            if self.clocks.gone_for_good(seat):
                self._accept(seat, _ABSENT)
            else:
                elapsed = self.clocks.elapsed_ms(seat)
                reason = self.clocks.banks[seat].overrun(elapsed)
                self._accept(seat, Fault(FaultKind.LATE, elapsed, reason))

    def _accept(self, seat: int, reply: Reply) -> None:
        self._replies[seat] = reply
        self.keep(seat, reply)


_ABSENT = Fault(FaultKind.ABSENT, 0, "the bot stayed away too long")
