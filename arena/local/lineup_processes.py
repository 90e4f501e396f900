"""Plays deal blocks, each line-up in a process of its own.

A bot that plays a deal twice could know the others' dice from the first match. So every line-up has
its own process, which plays one match of each block: nothing that a bot keeps in memory, whether in
a class, a module or elsewhere in Python, comes from a deal it will play. Files are not isolated; a
bot that remembers deals in a file makes its author's measurements useless.

The processes can play several series of blocks, with other bots and other deals each time, because
starting a process takes as long as ten to twenty blocks. Where there are more cores than line-ups,
several sets of processes share the blocks out among them. That changes no result: all chance of a
block follows from the seed and its number.
"""

import multiprocessing
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from itertools import cycle
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeAlias

from arena.games import make_game
from arena.games.game import AnyGame
from arena.lab.luck import luck_of
from arena.local.bot_modules import BotFileError
from arena.local.deal_blocks import BlockBrokenError, BlockMatch, DealBlocks, Series, written_down
from arena.local.in_process import Contender, Seed, UnreadyBotError, play_match
from arena.local.loading import load_bot
from arena.processes import begin_worker, users_variables, worker_context

_PATIENCE_S = 2.0
"""The time a process has to end before it is killed."""

_GATHER_S = 0.02
"""Matches that are over within so long are sent together: to send each by itself, and to wake
whoever counts it, takes a fifth of the time in which cheap bots play one."""

_News: TypeAlias = list[BlockMatch] | UnreadyBotError | BotFileError


def play_deal_blocks(
    asked: DealBlocks, *, jobs: int = 1
) -> Generator[tuple[BlockMatch, ...], None, None]:
    """Yield the matches of each complete block, in order.

    Plays in up to `jobs` processes, and in one for each line-up at least, where the bots are
    loaded. Raises UnreadyBotError, BotFileError and BlockBrokenError. Close the iterator (or
    exhaust it) to end the processes.
    """
    with lineup_sets(asked.game, len(asked.lineups), jobs) as sets:
        for number, at_play in enumerate(sets, start=asked.first):
            for process, lineup in zip(at_play, asked.lineups, strict=True):
                process.begin(asked.series(lineup, number, asked.blocks, step=len(sets)))
        whole = asked.series(asked.lineups[0], asked.first, asked.blocks)
        for _, at_play in zip(whole.numbers(), cycle(sets), strict=False):
            yield tuple([process.next_match() for process in at_play])


class LineupProcess:
    """A process that plays the matches of line-ups, one series after another."""

    def __init__(self, connection: "Connection[Any, Any]", process: BaseProcess) -> None:
        self._connection = connection
        self._process = process
        self._received: deque[BlockMatch] = deque()

    def begin(self, series: Series) -> None:
        """Queue a series after those queued before.

        Queue only a few at a time: with full pipes in both directions, the caller and the process
        would wait for each other.
        """
        with suppress(ConnectionError):  # `next_match` raises what ended the process
            self._connection.send(series)

    def next_match(self) -> BlockMatch:
        """Return the next match.

        Raises UnreadyBotError, BotFileError and BlockBrokenError.
        """
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


@contextmanager
def lineup_sets(
    game: AnyGame, lineups: int, jobs: int = 1
) -> Iterator[tuple[tuple[LineupProcess, ...], ...]]:
    """Yield as many sets of one process for each line-up as `jobs` allows, at least one.

    They end with the context. No two processes share memory.
    """
    options = game.options.changed()
    with ExitStack() as stack:
        yield tuple(
            tuple(stack.enter_context(_lineup_process(game.name, options)) for _ in range(lineups))
            for _ in range(max(1, jobs // lineups))
        )


@contextmanager
def _lineup_process(*rules: Any) -> Iterator[LineupProcess]:
    ours, theirs = multiprocessing.Pipe()
    process = _process(theirs, *rules)
    try:
        process.start()  # within, as Ctrl-C may come at its end
        theirs.close()
        yield LineupProcess(ours, process)
    finally:
        begun = process.pid is not None
        if begun:
            process.kill()  # first, as a second Ctrl-C may come now
        ours.close()
        if begun:
            process.join()


def _process(*rules: Any) -> BaseProcess:
    context = worker_context(__name__)
    return context.Process(target=_play_series, args=(users_variables(), *rules), daemon=True)


# The part that runs in a line-up's process


def _play_series(
    variables: Mapping[str, str | None],
    connection: "Connection[Any, Any]",
    game: str,
    options: Mapping[str, Any],
) -> None:
    begin_worker(variables)  # a forked process gets its default signal handlers back
    with suppress(ConnectionError, EOFError):  # the other side has closed the connection
        try:
            rules = make_game(game, options)
            while True:
                series: Series = connection.recv()
                contenders = [
                    Contender(entry.name, load_bot(entry.bot)) for entry in series.lineup.entries
                ]
                _send(connection, _played(rules, contenders, series))
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
    finally:  # also those before an error
        connection.send(gathered)


def _played(game: AnyGame, contenders: Sequence[Contender], series: Series) -> Iterator[BlockMatch]:
    seed = Seed(series.seed)
    for block in series.numbers():
        order = series.lineup.seating(block)
        seated = [contenders[at] for at in order]
        transcript, refused = play_match(game, seated, seed, block, series.time_control)
        written = written_down(transcript) if series.transcripts else None
        # Whoever counts the matches uses the sums alone.
        luck = replace(luck_of(transcript), draws=()) if series.luck else None
        yield BlockMatch(order, transcript.result, refused, written, luck)
