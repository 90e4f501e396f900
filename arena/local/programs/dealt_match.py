"""`play_dealt`: one match with a given deal, among programs that are started only for it.

Other matches have the same deal, so no program may have played one of them: new programs are
started, and they are ended before they receive the end of the match. The entropy that they send
does not change the deal.

UserError
└── AbsentError    programs did not start, connect or join: the match did not begin
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from arena.errors import UserError
from arena.local.programs.attentive_timer import AttentiveTimer
from arena.local.programs.local_referee import LocalReferee
from arena.local.programs.seat import Attention, ProgramSeat
from arena.match.transcript import Setup, Transcript
from arena.server.play.hosted_match import HostedMatch, Outcome
from arena.server.play.ports import Player, Timer
from arena.server.play.terms import Patience
from arena.waiting import wait_at_most

_LOOK_SECONDS: Final = 0.05
_GRACE_SECONDS: Final = 2.0
"""The time that a program may be away from a match; it is short, as ended programs stay away."""


class AbsentError(UserError):
    """Programs did not start, connect or join; the message says why."""

    def __init__(self, seats: Sequence[int], why: str) -> None:
        super().__init__(why)
        self.seats = tuple(seats)


@dataclass(frozen=True, slots=True)
class Deal:
    """The secret and the entropies from which a match is dealt."""

    secret: bytes
    entropies: tuple[bytes, ...]
    """The entropies, by seat."""


class SeatProgram(Protocol):
    """A program that was started for a seat."""

    async def ended(self) -> str:
        """Wait for its end. Return how it ended, as the rest of a sentence begun by its name."""
        ...


StartProgram: TypeAlias = Callable[[int, Path, str], AbstractAsyncContextManager[SeatProgram]]
"""Runs the program of a seat until the block ends; it connects to the socket with the token."""


class _DealtMatch(HostedMatch):
    """A match that uses the given entropies instead of those that bots join with."""

    def __init__(
        self,
        setup: Setup,
        players: Sequence[Player],
        deal: Deal,
        timer: Timer,
        done: Callable[[HostedMatch, Outcome], None],
        patience: Patience,
    ) -> None:
        super().__init__(setup, players, deal.secret, timer, done, patience)
        self._given = deal.entropies

    def join(self, seat: int, entropy: bytes) -> None:
        del entropy
        super().join(seat, self._given[seat])


@dataclass(frozen=True, slots=True)
class _Table:
    """The programs of a match and the referee that they connect to."""

    setup: Setup
    referee: LocalReferee
    news: asyncio.Event
    timer: AttentiveTimer
    ended: dict[int, str] = field(default_factory=dict)
    """How programs have ended, by seat."""

    @property
    def seats(self) -> range:
        """All seats."""
        return range(len(self.setup.entrants))

    @asynccontextmanager
    async def following(self, seat: int, program: SeatProgram) -> AsyncIterator[None]:
        """Record how a program ends, if it ends within the block."""

        async def follow() -> None:
            self.ended[seat] = await program.ended()
            self.news.set()

        task = asyncio.create_task(follow())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def connected(self, seconds: float) -> None:
        """Wait until all programs are connected. Raises AbsentError."""
        until = self.timer.now() + seconds
        while True:
            late = self.timer.now() >= until
            absent = {seat: why for seat in self.seats if (why := self._why_away(seat, late))}
            if absent:
                said = (f"{self.setup.entrants[seat]} {why}" for seat, why in absent.items())
                raise AbsentError(list(absent), " ".join(said))
            if len(self.referee.sessions) == len(self.seats):
                return
            await self._look()

    async def played(self, deal: Deal) -> Transcript:
        """Play the match to its end. Raises AbsentError."""
        outcomes: list[Outcome] = []

        def done(_match: HostedMatch, outcome: Outcome) -> None:
            outcomes.append(outcome)
            self.news.set()

        players = [
            ProgramSeat(self.referee.sessions[seat], Attention(), self.timer.now)
            for seat in self.seats
        ]
        patience = Patience(grace_seconds=_GRACE_SECONDS).at(self.setup.time_control)
        match = _DealtMatch(self.setup, players, deal, self.timer, done, patience)
        match.open()
        while not outcomes:
            await self._look()
        if outcomes[0] is Outcome.PLAYED:
            assert match.transcript is not None
            return match.transcript
        if outcomes[0] is Outcome.BROKEN:
            raise RuntimeError("a match broke off; the log above says why")
        absent = match.absent_at_start
        names = ", ".join(str(self.setup.entrants[seat]) for seat in absent)
        raise AbsentError(absent, f"{names} did not join the match.")

    def _why_away(self, seat: int, late: bool) -> str:
        """Return why a program cannot play; "" if it can, or may still connect."""
        session = self.referee.sessions.get(seat)
        if session is not None:
            plays = self.setup.game in session.games
            return "" if plays else f"does not play {self.setup.make_game().title}."
        return self.ended.get(seat, "did not connect in time." if late else "")

    async def _look(self) -> None:
        """Wait for news, for _LOOK_SECONDS at most."""
        await wait_at_most(self.news, _LOOK_SECONDS)
        self.news.clear()
        self.timer.now()  # unread for long, the timer would assume that this process was stopped


async def play_dealt(
    setup: Setup, deal: Deal, start: StartProgram, folder: Path, connect_seconds: float
) -> Transcript:
    """Play a match; the referee's socket is in `folder`.

    Raises AbsentError, and what `start` raises.
    """
    news = asyncio.Event()
    names = {seat: str(entrant) for seat, entrant in enumerate(setup.entrants)}
    referee = LocalReferee(names, news.set)
    socket = folder / "referee.sock"
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(referee.listening(f"unix:{socket}"))
        table = _Table(setup, referee, news, AttentiveTimer())
        for seat in table.seats:
            program = start(seat, socket, referee.tokens[seat])
            running = await stack.enter_async_context(program)
            await stack.enter_async_context(table.following(seat, running))
        await table.connected(connect_seconds)
        return await table.played(deal)
