"""`asked`, which sends positions to a program in the sandbox and returns its answers.

Each position is a match that is resumed at an open turn, as after a restart of the referee, and
withdrawn once the turn is answered. So all programs get exactly the same positions, one at a time,
and no answer affects a later position.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from arena.codec.turns import WrittenEvents
from arena.local.probes import Probe, answer_of
from arena.local.programs.local_referee import LocalReferee
from arena.match.notes import Note
from arena.match.transcript import Setup
from arena.rating.agreement import Answer
from arena.server.play.session import Session
from arena.waiting import first_of
from arena.worker.limits import CONNECT_SECONDS
from arena.worker.own_process import scratch_folder
from arena.worker.sandbox import HostedProgram, confined

_WITHDRAWN: Final = "the position is answered; the match does not go on"


@dataclass(frozen=True, slots=True)
class Asked:
    """The answers of one run of a program."""

    answers: tuple[Answer | None, ...]
    """By position; None where the program gave no action in time, or the position was not sent."""
    trouble: str
    """Why answers are missing, as the rest of a sentence that the program's name begins; or ""."""


class _Position:
    """A match at an open turn, as the Host of a RemotePlayer. The answer ends it."""

    begun = True

    def __init__(self, probe: Probe) -> None:
        self._probe = probe
        self.written_events = WrittenEvents(probe.setup.game)
        self.answered: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()

    @property
    def setup(self) -> Setup:
        return self._probe.setup

    def time_left_ms(self, _seat: int) -> tuple[int, int]:
        control = self.setup.time_control
        return control.turn_ms, control.bank_ms

    def take_over(self) -> None:
        """Do nothing: the position is already played by Python, not by compiled rules."""

    def join(self, seat: int, entropy: bytes) -> None:
        """Do nothing: all seats have joined."""

    def decline(self, _seat: int) -> bool:
        return False

    def note(self, note: Note) -> None:
        """Discard the note: nobody reads notes about probes."""

    def answer(self, _seat: int, _turn_number: int, action: Any) -> bool:
        self.answered.set_result(answer_of(action))
        return True

    def malformed(self, _seat: int, _turn_number: int, _reason: str) -> bool:
        self.answered.set_result(None)
        return True

    def left(self, seat: int) -> None:
        """Do nothing: the end of the process shows that the program ended."""

    def returned(self, seat: int) -> None:
        """Do nothing: a new stream receives the open turn again."""


async def asked(
    program: HostedProgram,
    probes: Sequence[Probe],
    seconds: float,
    advance: Callable[[], None] = lambda: None,
) -> Asked:
    """Start a program and send it the positions in order, for `seconds` at most.

    Calls `advance` once for each position. Call this in the main thread. Raises SandboxError.
    """
    answers: list[Answer | None] = []
    news = asyncio.Event()
    referee = LocalReferee({0: "player 1"}, news.set)
    with scratch_folder() as folder:
        folder.chmod(0o755)
        socket = folder / "referee.sock"
        async with (
            referee.listening(f"unix:{socket}"),
            confined(program, socket=socket, token=referee.tokens[0]) as running,
            first_of(
                running.ended(), _all_answers(referee, news, probes, seconds, answers, advance)
            ) as (ending, asking),
        ):
            trouble = asking.result() if asking.done() else ending.result()
    missing = len(probes) - len(answers)
    for _ in range(missing):
        advance()
    return Asked((*answers, *[None] * missing), trouble)


async def _all_answers(
    referee: LocalReferee,
    news: asyncio.Event,
    probes: Sequence[Probe],
    seconds: float,
    answers: list[Answer | None],
    advance: Callable[[], None],
) -> str:
    """Add the answers; return why some are missing."""
    session = None
    with suppress(TimeoutError):
        async with asyncio.timeout(CONNECT_SECONDS):
            session = await _connected(referee, news)
    if session is None:
        return "did not connect in time."
    game = probes[0].setup.game
    if game not in session.games:
        return f"does not play {probes[0].setup.make_game().title}."
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            for probe in probes:
                answers.append(await _answer(session, probe))
                advance()
            return "" if any(answers) else "gave no valid answer."
    return f"was slow: it answered {len(answers)} positions in {seconds:.0f} s."


async def _connected(referee: LocalReferee, news: asyncio.Event) -> Session:
    while not referee.sessions:
        await news.wait()
        news.clear()
    return referee.sessions[0]


async def _answer(session: Session, probe: Probe) -> Answer | None:
    """Return the answer to a position; None if no action comes in time."""
    host, player = _Position(probe), session.player()
    seat = probe.turn.seat
    player.resume(host, seat, probe.commitment, 0, probe.entropy)
    control = probe.setup.time_control
    player.ask(probe.turn, control.turn_ms, control.bank_ms)
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout((control.turn_ms + control.bank_ms) / 1000):
                return await host.answered
        return None
    finally:
        player.withdraw(_WITHDRAWN)
