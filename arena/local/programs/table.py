"""`ProgramTable`: plays matches among programs, several at once, and yields them in order.

Every bot, also a sample bot or a .py file, is a process that connects to a referee in this process,
so that no bot's thinking costs time on another's clock. Deals follow from the seed (see
`arena.local.in_process`) and the entropy that programs send, so matches repeat only if both do.
"""

import asyncio
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, suppress
from functools import partial
from itertools import chain, count
from math import inf
from pathlib import Path
from typing import Final, NamedTuple

from arena.codec.transcript import to_bytes
from arena.games.game import AnyGame
from arena.local.deal_blocks import BlockMatch, NamedBot, PlayedBlock, Series
from arena.local.in_process import Seed, opened
from arena.local.programs import advice
from arena.local.programs.attentive_timer import AttentiveTimer
from arena.local.programs.local_referee import LocalReferee
from arena.local.programs.program import CONNECT_SECONDS, BotProgram
from arena.local.programs.python_file import python_command
from arena.local.programs.seat import Attention, ProgramSeat
from arena.match.clock import TimeControl
from arena.match.faults import FaultKind
from arena.match.flow import Refused
from arena.server.app.event_loop import runner
from arena.server.play.hosted_match import HostedMatch, Outcome
from arena.server.play.ports import Player
from arena.server.play.terms import Patience

SILENT_SECONDS: Final = 10.0
"""If a program answers none of its open turns for this time, it counts as hanging."""
TURNS_OF_SILENCE: Final = 5
"""With a slow time control, the silence must last at least for the time of this many turns."""
_LOOK_SECONDS: Final = 0.05
_LEAVE_SECONDS: Final = 10.0
"""The time that a program that asked to leave may take to end once it is allowed to: only its exit
code shows whether it failed. The bridge waits five seconds for its own program."""
_LEFT: Final = "asked to leave (drain) before all was played"
_FINISH_SECONDS: Final = 3.0
"""The time that remaining matches, whose results are not needed, may continue at the end."""


class _Seating(NamedTuple):
    """A match to play."""

    series: Series
    seed: Seed
    label: str
    """The label from which its secret is derived."""
    order: tuple[int, ...]
    """The position of each seat's bot in the line-up."""
    bots: tuple[int, ...]
    """The number of the bot in each seat."""


class ProgramTable:
    """The programs of a run, started by `with`; their logs are NAME.log in the folder `logs`."""

    def __init__(
        self,
        game: AnyGame,
        entries: Sequence[NamedBot],
        logs: Path,
        *,
        time_control: TimeControl = TimeControl(),
        connect_seconds: float = CONNECT_SECONDS,
        address: str = "127.0.0.1:0",
    ) -> None:
        self._game = game
        self._entries = entries
        self._numbers = {entry: number for number, entry in enumerate(entries)}
        self._logs = logs
        self._time_control = time_control
        self._connect_seconds = connect_seconds
        self._address = address
        turns = TURNS_OF_SILENCE * time_control.turn_ms / 1000
        self._silent_seconds = max(SILENT_SECONDS, turns)
        self._patience = Patience().at(time_control)
        self._attention = [Attention() for _ in entries]
        self._programs: list[BotProgram] = []
        self._busy = [0] * len(entries)
        """The number of matches that each bot is playing."""
        self._let_go: dict[int, float] = {}
        """The time at which each bot that asked to leave was allowed to."""
        self._running: set[HostedMatch] = set()
        self._waiting: Iterator[tuple[int, _Seating]] = iter(())
        self._next: tuple[int, _Seating] | None = None
        self._exhausted = False
        """Whether no matches are left to begin."""
        self._played: dict[int, tuple[Series, BlockMatch]] = {}
        """Finished matches that were not yielded yet, by their number over all series."""
        self._failure: Exception | None = None
        self._watching: asyncio.Task[None] | None = None
        self._stack = ExitStack()

    def __enter__(self) -> "ProgramTable":
        with ExitStack() as stack:
            self._loop = stack.enter_context(runner())
            # Closed explicitly in `_close`: programs must leave while the referee still runs.
            self._open = AsyncExitStack()
            stack.callback(lambda: self._loop.run(self._close()))
            self._loop.run(self._start())
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    async def _start(self) -> None:
        self._timer = AttentiveTimer()
        self._news = asyncio.Event()
        names = {number: entry.name for number, entry in enumerate(self._entries)}
        self._referee = LocalReferee(names, self._look)
        listening = self._referee.listening(self._address)
        address = await self._open.enter_async_context(listening)
        for number, entry in enumerate(self._entries):
            command = entry.command or python_command(entry.bot)
            token, log = self._referee.tokens[number], self._logs / f"{entry.name}.log"
            program = BotProgram(entry.name, command, address, token, log, entry.settings)
            self._programs.append(program)
        self._watching = asyncio.create_task(self._watch())

    async def _close(self) -> None:
        """Ask the programs to leave, and kill those that do not."""
        if self._watching is not None:
            self._watching.cancel()
        self._waiting, self._next = iter(()), None
        for program in self._programs:
            program.ask_to_stop()
        seconds = _FINISH_SECONDS if self._failure is None else 0.5
        await self._until_ended(self._programs, seconds)
        for match in list(self._running):
            match.suspend()
        await self._open.aclose()
        await asyncio.gather(*(asyncio.to_thread(one.stop) for one in self._programs))

    async def _until_ended(self, programs: Sequence[BotProgram], seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while any(program.running for program in programs):
                    self._let_leave()
                    await asyncio.sleep(0.01)

    def play(self, asked: Iterable[Series]) -> Generator[PlayedBlock]:
        """Yield the complete blocks of the series, in order; no two matches share a deal.

        Raises BotProgramError.
        """
        assert not self._running, "one call after the other"
        seatings = chain.from_iterable(map(self._seatings, asked))
        self._waiting, self._next = zip(count(), seatings), None
        self._exhausted = False
        self._played.clear()
        wanted, block = 0, list[BlockMatch]()
        while True:
            for series, match in self._loop.run(self._some(wanted)):
                wanted += 1
                block.append(match)
                if len(block) == len(series.lineups):
                    yield tuple(block)
                    block = []
            if self._all_played(wanted):
                self._loop.run(self._see_off())
                return

    def _seatings(self, series: Series) -> Iterator[_Seating]:
        lineups = [series.of_lineup(number) for number in range(len(series.lineups))]
        # Line-ups with the same seed would share their deals, and a program that plays a deal
        # twice could know the others' dice.
        alone = series.fresh or len(lineups) == 1
        for block in series.numbers():
            for number, of_lineup in enumerate(lineups):
                (lineup,) = of_lineup.lineups
                label = f"match {block}" if alone else f"match {number} of block {block}"
                order = lineup.seating(block)
                bots = tuple(self._numbers[lineup.entries[at]] for at in order)
                yield _Seating(series, Seed(of_lineup.seed), label, order, bots)

    def _all_played(self, wanted: int) -> bool:
        return self._exhausted and not self._running and wanted not in self._played

    async def _some(self, wanted: int) -> list[tuple[Series, BlockMatch]]:
        """Return the next finished matches in order; at least one unless all are played."""
        self._fill()
        while wanted not in self._played and not self._all_played(wanted):
            if self._failure is not None:
                raise self._failure
            await self._news.wait()
            self._news.clear()
        found = []
        while wanted in self._played:
            found.append(self._played.pop(wanted))
            wanted += 1
        return found

    async def _see_off(self) -> None:
        """Raise BotProgramError if a program failed, even if all matches were played.

        Its last matches may have continued without it, and until now it may only have asked to
        leave.
        """
        leaving = [self._programs[number] for number in self._referee.leaving]
        await self._until_ended(leaving, _LEAVE_SECONDS)
        for program in self._programs:
            if program.code:
                raise program.failed(program.how_it_ended())

    def _look(self) -> None:
        """React to a program that connected, left or asked to leave."""
        self._let_leave()
        self._fill()

    def _let_leave(self) -> None:
        for number in self._referee.leaving:
            if not self._busy[number]:
                self._let_go.setdefault(number, self._timer.now())
                self._referee.sessions[number].drained()

    def _fill(self) -> None:
        """Begin matches while the bots of the next one are free."""
        while self._failure is None:
            self._next = self._next or next(self._waiting, None)
            self._exhausted = self._next is None
            if self._next is None or not all(map(self._free, self._next[1].bots)):
                return
            (number, seating), self._next = self._next, None
            self._begin(number, seating)

    def _free(self, bot: int) -> bool:
        session = self._referee.sessions.get(bot)
        return (
            session is not None
            and session.up
            and bot not in self._referee.leaving
            and self._busy[bot] < session.max_matches
            and self._game.name in session.games
        )

    def _begin(self, number: int, seating: _Seating) -> None:
        names = [self._entries[bot].name for bot in seating.bots]
        setup, secret = opened(self._game, names, seating.seed, seating.label, self._time_control)
        players: list[Player] = []
        for bot in seating.bots:
            self._busy[bot] += 1
            session = self._referee.sessions[bot]
            players.append(ProgramSeat(session, self._attention[bot], self._timer.now))
        done = partial(self._over, number, seating)
        match = HostedMatch(setup, players, secret, self._timer, done, self._patience)
        self._running.add(match)
        match.open()

    def _over(self, number: int, seating: _Seating, match: HostedMatch, outcome: Outcome) -> None:
        self._running.discard(match)
        for bot in seating.bots:
            self._busy[bot] -= 1
        if outcome is Outcome.PLAYED:
            transcript = match.transcript
            assert transcript is not None
            match.announce(to_bytes(transcript))
            refused = tuple(self._explained(seating, match, one) for one in match.refused)
            played = seating.series.finished(seating.order, transcript, refused, match.notes.notes)
            self._played[number] = seating.series, played
            self._news.set()
            # Scheduled, not called: within the last answer of this match, calls of further matches
            # would nest.
            self._timer.call_at(self._timer.now(), self._look)
            return
        how = {
            Outcome.DECLINED: "declined a match",
            Outcome.NOT_JOINED: f"did not join a match within {self._patience.join_seconds:g} s",
        }
        if outcome not in how:
            self._fail(RuntimeError("a match broke off; the log above says why"))
        elif not self._ended():
            absent = self._programs[seating.bots[match.absent_at_start[0]]]
            self._fail(absent.failed(how[outcome]))

    def _explained(self, seating: _Seating, match: HostedMatch, refused: Refused) -> Refused:
        """Return a refusal with the program's own reason for no answer, if its log has one."""
        if refused.kind is not FaultKind.MALFORMED:
            return refused
        program = self._programs[seating.bots[refused.seat]]
        why = program.why_no_answer(match.setup.match_id, refused.turn_number)
        return refused if why is None else refused._replace(reason=why)

    def _fail(self, error: Exception) -> None:
        if self._failure is None:
            self._failure = error
        self._news.set()

    async def _watch(self) -> None:
        while True:
            if not (self._ended() or self._missing()):
                self._look_for_silence()
            await asyncio.sleep(_LOOK_SECONDS)

    def _ended(self) -> bool:
        """Return whether there is a failure, such as a program that has ended."""
        for number, program in enumerate(self._programs):
            if program.running:
                continue
            how = program.how_it_ended()
            if number not in self._referee.sessions:
                how += advice.to_connect(self._entries[number])
            elif number in self._let_go and not program.code:
                how = f"{_LEFT}: it {how}"
            self._fail(program.failed(how))
        return self._failure is not None

    def _missing(self) -> bool:
        for number, (program, entry) in enumerate(zip(self._programs, self._entries, strict=True)):
            session = self._referee.sessions.get(number)
            if session is None:
                if program.timer.now() > self._connect_seconds:
                    seconds, way = self._connect_seconds, advice.to_connect(entry)
                    how = f"did not connect to ARENA_ADDRESS within {seconds:g} s{way}"
                    self._fail(program.failed(how))
            elif self._game.name not in session.games:
                plays = sorted(session.games)
                how = f"does not play {self._game.title}; its hello names {', '.join(plays)}"
                way = advice.to_play(self._game.name, plays, entry)
                self._fail(program.failed(how + way))
            elif self._timer.now() - self._let_go.get(number, inf) > _LEAVE_SECONDS:
                self._fail(program.failed(_LEFT))
        return self._failure is not None

    def _look_for_silence(self) -> None:
        for number, attention in enumerate(self._attention):
            seconds = attention.silent_seconds(self._timer.now())
            if seconds > self._silent_seconds:
                asked = f"hangs: asked in {len(attention.open)} matches"
                how = f"{asked}, it answered nothing for {seconds:.0f} s"
                way = advice.to_answer(self._entries[number])
                self._fail(self._programs[number].failed(how + way))
