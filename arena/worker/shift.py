"""`play_shift`, which starts a hosted bot in the sandbox, lets it play for a while, and ends it.

A bot's program is not asked to end, because programs need not support that. The referee begins no
more blocks with the bot, and the program is killed when the bot's matches are over.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from arena.waiting import first_of
from arena.worker.attending import AttendanceError, asked_to_leave, connected, drained
from arena.worker.confined_program import ConfinedProgram, how_program_ended
from arena.worker.known_referees import KnownReferees
from arena.worker.limits import CONNECT_SECONDS, SandboxLimits
from arena.worker.printed import Printed
from arena.worker.sandbox import HostedProgram, confined

DRAIN_SECONDS: Final = 120.0
"""The time for which the running blocks of a bot may continue after its shift."""
_NEWS_SECONDS = 1.0


class ShiftEnding(StrEnum):
    """The ways in which a shift can end. Only the first is normal."""

    PLAYED = "played"
    """It played until its time was over, and finished its matches."""
    ENDED = "ended"
    """Its program ended by itself."""
    NOT_CONNECTED = "not connected"
    """Its program did not connect in time."""
    TOO_MUCH = "too much"
    """Its program was ended because it exceeded a limit."""
    OVERRAN = "overran"
    """Its matches did not end in time."""
    REFUSED = "refused"
    """The referee does not let it play any more."""


CUT_SHORT: Final = (ShiftEnding.ENDED, ShiftEnding.NOT_CONNECTED, ShiftEnding.TOO_MUCH)
"""The endings that the program caused."""


@dataclass(frozen=True, slots=True)
class HostedPlace:
    """The referees where a hosted bot plays, and its token."""

    referees: KnownReferees
    """The referees as the worker reaches them."""
    socket: Path
    """The socket through which the program reaches them: a referee's own, or the worker's relay."""
    token: str


@dataclass(frozen=True, slots=True)
class ShiftReport:
    """The result of a shift."""

    ending: ShiftEnding
    sentence: str
    """The ending as a sentence for the bot's owner."""
    printed: str
    """The beginning and the end of the program's output, with a time in each line."""
    seconds: float
    processor_seconds: float
    memory_bytes: int
    """The most memory that it used at a time."""


async def play_shift(
    program: HostedProgram,
    place: HostedPlace,
    *,
    seconds: float,
    began: float | None = None,
    limits: SandboxLimits = SandboxLimits(),
    leave: asyncio.Event | None = None,
    most_ahead_seconds: float = 0.0,
    on_ending: Callable[[], None] = lambda: None,
    connect_seconds: float = CONNECT_SECONDS,
    drain_seconds: float = DRAIN_SECONDS,
) -> ShiftReport:
    """Play for `seconds`, or until `leave` is set, and then until the bot's matches are over.

    The shift also ends when the referee needs the bot's slot for others.

    Printed lines begin with the seconds since the shift `began`, on the clock of time.monotonic; by
    default it begins now. `on_ending` is called before the time is over: earlier by the time that
    the program took to connect, but by `most_ahead_seconds` at most. The next shift can then begin,
    as its program needs time to start, too. Cancelling kills the program. Raises SandboxError if
    nothing can be confined here.
    """
    began = time.monotonic() if began is None else began
    printed = Printed(lambda: time.monotonic() - began)
    async with confined(
        program, socket=place.socket, token=place.token, limits=limits, printed=printed
    ) as running:
        shift = _Shift(running, place, leave or asyncio.Event())
        try:
            async with asyncio.TaskGroup() as tasks:
                watching = [tasks.create_task(shift.until_ended())]
                watching.append(tasks.create_task(shift.until_too_much()))
                await shift.connect(connect_seconds)
                watching.append(tasks.create_task(shift.until_asked_to_leave()))
                ahead_seconds = min(time.monotonic() - began, most_ahead_seconds)
                await shift.play(seconds - ahead_seconds)
                on_ending()
                await shift.play(ahead_seconds)
                await shift.drain(drain_seconds)
                for task in watching:
                    task.cancel()
            stopped = _StoppedError(ShiftEnding.PLAYED, "It played its shift.")
        except* _StoppedError as group:
            stopped = _first(group)
    return ShiftReport(
        stopped.ending,
        stopped.sentence,
        printed.text(),
        time.monotonic() - began,
        running.usage.processor_seconds,
        running.usage.memory_bytes,
    )


class _StoppedError(Exception):
    """Raised to end the shift."""

    def __init__(self, ending: ShiftEnding, sentence: str) -> None:
        super().__init__(sentence)
        self.ending = ending
        self.sentence = sentence


def _first(group: BaseExceptionGroup[_StoppedError]) -> _StoppedError:
    first = group.exceptions[0]
    return first if isinstance(first, _StoppedError) else _first(first)


@dataclass(slots=True)
class _Shift:
    """A shift in progress. Every method raises _StoppedError when the shift must end."""

    running: ConfinedProgram
    place: HostedPlace
    leave: asyncio.Event
    asked_to_leave: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    """Set when the referee needs the bot's slot for others."""
    started: float = field(default_factory=time.monotonic, init=False)
    draining: bool = field(default=False, init=False)

    async def until_ended(self) -> None:
        """Wait for the end of the program."""
        code = await self.running.wait()
        seconds = time.monotonic() - self.started
        if self.running.ran_out_of_memory:
            raise _StoppedError(ShiftEnding.TOO_MUCH, self.running.too_much_memory)
        if self.draining:
            # Its stream was closed: the referee will soon report that its matches are over.
            await asyncio.sleep(_NEWS_SECONDS)
        how = f"Its program {how_program_ended(code)} after {seconds:.1f} s."
        raise _StoppedError(ShiftEnding.ENDED, how)

    async def until_too_much(self) -> None:
        """Wait until the program exceeds a limit."""
        raise _StoppedError(ShiftEnding.TOO_MUCH, await self.running.exceeded())

    async def connect(self, seconds: float) -> None:
        """Wait until the bot is connected."""
        try:
            async with asyncio.timeout(seconds):
                await connected(self.place.referees, self.place.token)
        except TimeoutError:
            raise _StoppedError(
                ShiftEnding.NOT_CONNECTED, f"Its program did not connect within {seconds:.0f} s."
            ) from None
        except AttendanceError as error:
            raise _StoppedError(ShiftEnding.REFUSED, str(error)) from None

    async def until_asked_to_leave(self) -> None:
        """Wait until the referee needs the bot's slot for others."""
        try:
            await asked_to_leave(self.place.referees, self.place.token)
        except AttendanceError as error:
            raise _StoppedError(ShiftEnding.REFUSED, str(error)) from None
        self.asked_to_leave.set()

    async def play(self, seconds: float) -> None:
        """Wait until the bot's time is over."""
        ends = self.leave.wait(), self.asked_to_leave.wait()
        async with first_of(*ends, seconds=max(0.0, seconds)):
            pass

    async def drain(self, seconds: float) -> None:
        """Wait until the bot's matches are over."""
        self.draining = True
        try:
            async with asyncio.timeout(seconds):
                await drained(self.place.referees, self.place.token)
        except TimeoutError:
            raise _StoppedError(
                ShiftEnding.OVERRAN,
                f"Its matches were not over {seconds:.0f} s after its shift: it was ended.",
            ) from None
        except AttendanceError as error:
            raise _StoppedError(ShiftEnding.REFUSED, str(error)) from None
