"""`play_dealt`: one match whose deal is given, among programs that are started for it alone.

The deal is that of other matches, too, so no program may have played one of them: each is started
anew, and ended before it is told how the match ended. What the programs join with does not change
the deal.

UserError
└── AbsentError    programs did not start, connect or join: the match did not begin
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.errors import UserError
from arena.local.programs.attentive_timer import AttentiveTimer
from arena.local.programs.local_referee import LocalReferee
from arena.local.programs.program import BotProgram
from arena.local.programs.seat import Attention, ProgramSeat
from arena.match.transcript import Setup, Transcript
from arena.server.play.hosted_match import HostedMatch, Outcome
from arena.server.play.ports import Player, Timer
from arena.server.play.terms import Patience

_LOOK_SECONDS: Final = 0.05
_GRACE_SECONDS: Final = 2.0
"""How long a program may be away from a running match: a process that ended does not come back."""


class AbsentError(UserError):
    """Programs did not start, connect or join; the message says why."""

    def __init__(self, seats: Sequence[int], why: str, codes: Sequence[int | None] = ()) -> None:
        super().__init__(why)
        self.seats = tuple(seats)
        self.codes = tuple(codes)
        """The exit codes of the programs that ended."""


@dataclass(frozen=True, slots=True)
class Deal:
    """What the draws of a match follow from, with the id that its setup names."""

    secret: bytes
    entropies: tuple[bytes, ...]
    """By seat."""


class _DealtMatch(HostedMatch):
    """A match in which the given entropies take the place of those that bots join with."""

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
    programs: Sequence[BotProgram]
    news: asyncio.Event
    timer: AttentiveTimer

    async def connected(self, seconds: float) -> None:
        """Wait until all programs are connected. Raises AbsentError."""
        while True:
            found = {seat: self._why_away(seat, seconds) for seat in range(len(self.programs))}
            absent = {seat: why for seat, why in found.items() if why}
            if absent:
                codes = [self.programs[seat].code for seat in absent]
                raise AbsentError(list(absent), " ".join(absent.values()), codes)
            if len(self.referee.sessions) == len(self.programs):
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
            for seat in range(len(self.programs))
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

    def _why_away(self, seat: int, seconds: float) -> str:
        """Return why a program cannot play any more; "" if it may."""
        program, session = self.programs[seat], self.referee.sessions.get(seat)
        if session is not None:
            if self.setup.game in session.games:
                return ""
            return str(program.failed(f"does not play {self.setup.make_game().title}"))
        if not program.running:
            return str(program.failed(program.how_it_ended()))
        if program.timer.now() > seconds:
            return str(program.failed(f"did not connect within {seconds:g} s"))
        return ""

    async def _look(self) -> None:
        """Wait for news, and at most for a look at the programs."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LOOK_SECONDS):
                await self.news.wait()
        self.news.clear()
        self.timer.now()  # it takes time without a look for time in which nobody ran


async def play_dealt(
    setup: Setup,
    deal: Deal,
    command: Callable[[int, str], Sequence[str]],
    folder: Path,
    connect_seconds: float,
) -> Transcript:
    """Play a match; `command` returns how a seat's program is started for the referee's address.

    `folder` is for the socket and for what the programs print, SEAT.log. Raises AbsentError.
    """
    names = {seat: str(entrant) for seat, entrant in enumerate(setup.entrants)}
    news = asyncio.Event()
    referee = LocalReferee(names, news.set)
    async with AsyncExitStack() as stack:
        address = f"unix:{folder / 'referee.sock'}"
        await stack.enter_async_context(referee.listening(address))
        programs = [
            BotProgram(name, command(seat, address), address, token, folder / f"{seat}.log")
            for (seat, name), token in zip(names.items(), referee.tokens.values(), strict=True)
        ]
        await stack.enter_async_context(_ended_with(programs))
        table = _Table(setup, referee, programs, news, AttentiveTimer())
        await table.connected(connect_seconds)
        return await table.played(deal)


@asynccontextmanager
async def _ended_with(programs: Sequence[BotProgram]) -> AsyncIterator[None]:
    """End the programs at the end of the block."""
    try:
        yield
    finally:
        for program in programs:
            program.ask_to_stop()
        await asyncio.gather(*(asyncio.to_thread(one.stop) for one in programs))
