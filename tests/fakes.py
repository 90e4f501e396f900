"""Fakes: a timer that tests advance, and scripted players."""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from arena.match.flow import OpenTurn, Refused
from arena.server.play.ports import Host


@dataclass
class _Call:
    callback: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


class HandTimer:
    """A Timer whose time passes only in `turn`. Calls are made in the order of their times."""

    def __init__(self, now: float = 1_000.0) -> None:
        self._now = now
        self._calls: list[tuple[float, int, _Call]] = []
        self._order = count()

    def now(self) -> float:
        return self._now

    def call_at(self, when: float, callback: Callable[[], None]) -> _Call:
        call = _Call(callback)
        heapq.heappush(self._calls, (when, next(self._order), call))
        return call

    def turn(self, seconds: float = 0.0, most: int = 100_000) -> None:
        """Let time pass, and make the calls that are due by then."""
        until = self._now + seconds
        while self._calls and self._calls[0][0] <= until:
            when, _, call = heapq.heappop(self._calls)
            self._now = max(self._now, when)
            if not call.cancelled:
                call.callback()
                most -= 1
                assert most, "something arranges calls for ever"
        self._now = until

    @property
    def arranged(self) -> int:
        """The number of calls to come."""
        return sum(not call.cancelled for _, _, call in self._calls)


@dataclass
class FakePlayer:
    """A Player that keeps what it is told; the test speaks to the host in its stead."""

    host: Host | None = None
    seat: int = -1
    commitment: bytes = b""
    join_ms: int = 0
    entropy: bytes | None = None
    """The entropy of a match that was resumed."""
    begun: bool = False
    turns: list[OpenTurn] = field(default_factory=list)
    refusals: list[tuple[Refused, int]] = field(default_factory=list)
    ends: list[Any] = field(default_factory=list)
    withdrawals: list[str] = field(default_factory=list)

    def offer(self, host: Host, seat: int, commitment: bytes, join_ms: int) -> None:
        self.host, self.seat = host, seat
        self.commitment, self.join_ms = commitment, join_ms

    def resume(
        self, host: Host, seat: int, commitment: bytes, join_ms: int, entropy: bytes
    ) -> bool:
        self.host, self.seat = host, seat
        self.commitment, self.entropy = commitment, entropy
        return False

    def stream(self) -> None:
        return None

    def was_sent(self, seen: int, open_turn: OpenTurn | None = None) -> None:
        raise AssertionError("compiled rules play with bots that have a stream")

    def begin(self) -> None:
        self.begun = True

    def ask(self, turn: OpenTurn, turn_ms: int, bank_ms: int) -> None:
        self.turns.append(turn)

    def refuse(self, refused: Refused, faults: int) -> None:
        self.refusals.append((refused, faults))

    def end(self, written: Any, events: Sequence[Any]) -> None:
        self.ends.append((written, tuple(events)))

    def withdraw(self, reason: str) -> None:
        self.withdrawals.append(reason)

    # What the test does for the bot.

    @property
    def told_over(self) -> int:
        """How often the bot was told that its match is over, in whatever way."""
        return len(self.ends) + len(self.withdrawals)

    def join(self) -> None:
        assert self.host is not None
        self.host.join(self.seat, bytes([self.seat]) * 16)

    def act(self) -> bool:
        """Answer the last turn with the first legal action."""
        assert self.host is not None
        turn = self.turns[-1]
        choices = self.host.setup.make_game().choices(turn.view)
        return self.host.answer(self.seat, turn.number, next(choices))
