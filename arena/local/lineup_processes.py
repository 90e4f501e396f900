"""Plays deal blocks, each line-up in a process of its own.

A bot that plays a deal twice could know the others' dice from the first match. So every line-up has
its own process, which plays one match of each block: nothing that a bot keeps in memory, whether in
a class, a module or elsewhere in Python, comes from a deal it will play. Files are not isolated; a
bot that remembers deals in a file makes its author's measurements useless.

The processes can play several series of blocks, with other bots and other deals each time, because
starting a process takes as long as ten to twenty blocks. If there are more cores than line-ups,
several sets of processes take turns with the blocks. That changes no result: all random numbers of
a block follow from the seed and its number.
"""

import multiprocessing
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from itertools import cycle, repeat
from math import inf
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeAlias

from arena.games import make_game
from arena.games.game import AnyGame
from arena.local.bot_modules import BotFileError
from arena.local.deal_blocks import BlockBrokenError, BlockMatch, PlayedBlock, Series
from arena.local.in_process import Contender, Seed, UnreadyBotError, play_match
from arena.local.loading import load_bot
from arena.match.clock import TimeControl
from arena.match.notes import NotesTaken
from arena.processes import begin_worker, users_variables, worker_context

_PATIENCE_S = 2.0
"""The time to wait for the exit code of a process that has closed its connection."""

_GATHER_S = 0.02
"""Matches that end within this time are sent together. Sending each separately and waking the
receiver takes a fifth of the time in which fast bots play a match."""

_News: TypeAlias = list[BlockMatch] | UnreadyBotError | BotFileError


def play_in_processes(
    sets: "Sequence[LineupSet]", asked: Iterable[Series]
) -> Generator[PlayedBlock]:
    """Yield the blocks of the series, in order; the sets of processes take turns with them.

    Raises UnreadyBotError, BotFileError and BlockBrokenError.
    """
    waiting, begun, at_turn = iter(asked), deque[Iterator[Series]](), cycle(sets)
    ahead, turn = 0.0, 0
    while True:
        # Each set gets new blocks before its last result is read, so none waits for the slowest.
        while ahead <= len(sets) and (series := next(waiting, None)) is not None:
            for place, at_play in enumerate(sets):
                first = series.first + (place - turn) % len(sets)
                share = replace(series, first=first, step=len(sets))
                if share.numbers():
                    for number, process in enumerate(at_play):
                        process.begin(share.of_lineup(number))
            if series.blocks is None:
                ahead = inf
                begun.append(repeat(series))
            else:
                blocks = max(0, series.blocks - series.first)
                ahead += blocks
                turn = (turn + blocks) % len(sets)
                begun.append(repeat(series, blocks))
        while begun and (series := next(begun[0], None)) is None:
            begun.popleft()
        if not begun:
            return
        try:
            yield tuple([process.next_match() for process in next(at_turn)])
        except BlockBrokenError as error:
            assert series is not None
            raise BlockBrokenError(
                f"{series.name}: {error}" if series.name else str(error)
            ) from error
        ahead -= 1


class LineupProcess:
    """A process that plays the matches of line-ups, one series after another."""

    def __init__(self, connection: "Connection[Any, Any]", process: BaseProcess) -> None:
        self._connection = connection
        self._process = process
        self._received: deque[BlockMatch] = deque()

    def begin(self, series: Series) -> None:
        """Queue a series after those queued before.

        Queue only a few at a time: with full pipes in both directions, the caller and the process
        would deadlock.
        """
        with suppress(ConnectionError):  # `next_match` reports why the process ended
            self._connection.send(series)

    def next_match(self) -> BlockMatch:
        """Return the next match. Raises UnreadyBotError, BotFileError and BlockBrokenError."""
        while not self._received:
            self._received.extend(self._receive())
        return self._received.popleft()

    def _receive(self) -> list[BlockMatch]:
        try:
            news: _News = self._connection.recv()
        except (EOFError, ConnectionError):
            self._process.join(_PATIENCE_S)
            raise BlockBrokenError(
                f"The process of a line-up ended (exit code {self._process.exitcode}): a bot has "
                "ended it. The block it was in does not count."
            ) from None
        if isinstance(news, Exception):
            raise news
        return news


LineupSet: TypeAlias = tuple[LineupProcess, ...]


@contextmanager
def lineup_sets(
    game: AnyGame, lineups: int, control: TimeControl, jobs: int = 1
) -> Iterator[tuple[LineupSet, ...]]:
    """Yield sets of processes, each with one process for each line-up.

    The number of sets is as great as `jobs` processes allow, at least one. The processes end with
    the context. No two of them share memory.
    """
    options = game.options.changed()
    with ExitStack() as stack:
        yield tuple(
            tuple(
                stack.enter_context(_lineup_process(game.name, options, control))
                for _ in range(lineups)
            )
            for _ in range(max(1, jobs // lineups))
        )


@contextmanager
def _lineup_process(*rules: Any) -> Iterator[LineupProcess]:
    ours, theirs = multiprocessing.Pipe()
    process = _process(theirs, *rules)
    try:
        process.start()  # inside `try`, as Ctrl-C may arrive when it returns
        theirs.close()
        yield LineupProcess(ours, process)
    finally:
        begun = process.pid is not None
        if begun:
            process.kill()  # first, as a second Ctrl-C may arrive now
        ours.close()
        if begun:
            process.join()


def _process(*rules: Any) -> BaseProcess:
    context = worker_context(__name__)
    return context.Process(target=_play_series, args=(users_variables(), *rules), daemon=True)


# The functions that run in a line-up's process


def _play_series(
    variables: Mapping[str, str | None],
    connection: "Connection[Any, Any]",
    game: str,
    options: Mapping[str, Any],
    control: TimeControl,
) -> None:
    begin_worker(variables)  # also restores the default signal handlers of a forked process
    with suppress(ConnectionError, EOFError):  # the other side has closed the connection
        try:
            rules = make_game(game, options)
            while True:
                series: Series = connection.recv()
                _send(connection, played(rules, series, control))
        except (UnreadyBotError, BotFileError) as error:
            connection.send(error)


def _send(connection: "Connection[Any, Any]", matches: Iterable[BlockMatch]) -> None:
    begun, gathered = time.monotonic(), list[BlockMatch]()
    try:
        for match in matches:
            gathered.append(match)
            if time.monotonic() - begun > _GATHER_S:
                connection.send(gathered)
                begun, gathered = time.monotonic(), []
    finally:  # also send the matches before an error
        connection.send(gathered)


def played(game: AnyGame, series: Series, control: TimeControl) -> Generator[BlockMatch]:
    """Yield the matches of a series of one line-up, played in this process."""
    (lineup,), seed = series.lineups, Seed(series.seed)
    contenders = [
        Contender(entry.name, load_bot(entry.bot, entry.settings)) for entry in lineup.entries
    ]
    for block in series.numbers():
        order = lineup.seating(block)
        seated = [contenders[at] for at in order]
        notes = NotesTaken() if series.notes else None
        made = play_match(game, seated, seed, block, control, notes)
        yield series.finished(order, *made, notes.notes if notes else ())
