"""Deal blocks: one deal for several line-ups of bots, and nobody who could remember it.

Block 7 of a seed is its match 7 (see `arena.home.in_process`), played once for every line-up: the
same secret, so equal situations get equal dice, and for whoever sits in a seat the same numbers in
its `random`. What then differs between the matches of a block is owed to the bots.

A bot that met a deal twice could know the others' dice out of the first time. So every line-up has
a process of its own, which plays its match of each block and no other: nothing that a bot keeps in
memory, be it in a class, a module or anywhere else in Python, has seen a deal that is still to
come. What it writes to files is beyond this; a bot that does is cheating its own author.

The processes can play one series of blocks after another, among other bots and with other deals
each time: to start them anew takes as long as ten to twenty blocks.

The matches of a block share their match id, since the draws are computed from it.

BlockBrokenError    a line-up could not be played on: no match of the unfinished block counts
"""

import json
import multiprocessing
import signal
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeAlias

from arena.errors import UserError
from arena.games import make_game
from arena.games.game import AnyGame
from arena.home.in_process import Contender, Seed, UnreadyBotError, play_match
from arena.home.loading import BotFileError, load_bot
from arena.luck import Luck
from arena.match.flow import Refused
from arena.match.result import Result
from arena.match.seating import moved_on
from arena.match.transcript import Transcript
from arena.match.transcript_json import to_json

_PATIENCE_S = 2.0
"""For a process to end when told to, before it is killed."""


class BlockBrokenError(UserError):
    """A block that could not be played to its end; the message says why."""


@dataclass(frozen=True, slots=True)
class NamedBot:
    """A bot of a series: a name of its own, and the word it is loaded by."""

    name: str
    bot: str


@dataclass(frozen=True, slots=True)
class Lineup:
    """One match of every block: who sits where."""

    entries: tuple[NamedBot, ...]
    shift: int = 0
    """By how many places everybody has moved down."""
    moves_on: bool = False
    """Whether everybody moves one more place down from block to block."""

    def seating(self, block: int) -> tuple[int, ...]:
        """By seat, the position in `entries`."""
        shift = self.shift + (block if self.moves_on else 0)
        return moved_on(len(self.entries), shift)


@dataclass(frozen=True, slots=True)
class Series:
    """A match of each of many blocks."""

    lineup: Lineup
    seed: str
    """Of the deals; who shares it plays the same ones."""
    blocks: int | None
    """Without end if None."""
    transcripts: bool = False


@dataclass(frozen=True, slots=True)
class BlockMatch:
    """A match of a block, as it comes out of its process."""

    contenders: tuple[int, ...]
    """Who sat where: by seat, the position in the line-up's entries."""
    result: Result
    refused: tuple[Refused, ...]
    written: str | None
    """The transcript as one line of JSON, if it was asked for."""
    luck: Luck | None = None
    """Where it was measured; what deal blocks do about luck is better."""


_News: TypeAlias = BlockMatch | UnreadyBotError | BotFileError


def written_down(transcript: Transcript) -> str:
    """A transcript as one line of JSON."""
    return json.dumps(to_json(transcript), separators=(",", ":"))


def every_rotation(entries: Sequence[NamedBot]) -> list[Lineup]:
    """The line-ups of a block in which everybody sits in every seat once."""
    return [Lineup(tuple(entries), shift) for shift in range(len(entries))]


def play_deal_blocks(
    game: AnyGame,
    lineups: Sequence[Lineup],
    seed: str,
    blocks: int | None = None,
    *,
    transcripts: bool = False,
) -> Generator[tuple[BlockMatch, ...], None, None]:
    """Play blocks, without end if `blocks` is None; each is told when it is complete, in order.

    The bots are loaded in the processes. Raises UnreadyBotError, BotFileError and
    BlockBrokenError. Close the iterator (or exhaust it) to end the processes.
    """
    with lineup_processes(game, len(lineups)) as at_play:
        for process, lineup in zip(at_play, lineups, strict=True):
            process.begin(Series(lineup, seed, blocks, transcripts))
        for _ in count() if blocks is None else range(blocks):
            yield tuple([process.next_match() for process in at_play])


class LineupProcess:
    """A process that plays a line-up's matches, series after series."""

    def __init__(self, connection: "Connection[Any, Any]", process: BaseProcess) -> None:
        self._connection = connection
        self._process = process

    def begin(self, series: Series) -> None:
        """Play this, after what was begun before. Told a few at a time: who tells it too much
        without hearing what it has to say waits for it, as it does for them."""
        with suppress(ConnectionError):  # what ended it is told by `next_match`
            self._connection.send(series)

    def next_match(self) -> BlockMatch:
        """Raises UnreadyBotError, BotFileError and BlockBrokenError."""
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
def lineup_processes(game: AnyGame, number: int) -> Iterator[list[LineupProcess]]:
    """So many processes, which end with the context. No two of them share any memory."""
    options = game.options.changed()
    with ExitStack() as stack:
        yield [stack.enter_context(_lineup_process(game.name, options)) for _ in range(number)]


@contextmanager
def _lineup_process(*rules: Any) -> Iterator[LineupProcess]:
    ours, theirs = multiprocessing.Pipe()
    process = _process(theirs, *rules)
    process.start()
    theirs.close()
    try:
        yield LineupProcess(ours, process)
    finally:
        ours.close()
        process.terminate()
        process.join(_PATIENCE_S)
        process.kill()
        process.join()


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """What is started in the meantime is so from birth: only we decide what then ends."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def _process(*rules: Any) -> BaseProcess:
    if "forkserver" in multiprocessing.get_all_start_methods():
        from multiprocessing import forkserver  # which not every system has

        # Forked off a process in which no bot was ever loaded, but all that bots need has been.
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([__name__])
        with _deaf_to_ctrl_c():
            forkserver.ensure_running()
        return context.Process(target=_play_series, args=rules, daemon=True)
    spawned = multiprocessing.get_context("spawn")
    return spawned.Process(target=_play_series, args=rules, daemon=True)


# What runs in a line-up's process


def _play_series(connection: "Connection[Any, Any]", game: str, options: Mapping[str, Any]) -> None:
    # Forked processes are given their handlers back.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(ConnectionError, EOFError):  # nobody wants to know any more
        try:
            rules = make_game(game, options)
            while True:
                series: Series = connection.recv()
                contenders = [
                    Contender(entry.name, load_bot(entry.bot)) for entry in series.lineup.entries
                ]
                source = Seed(series.seed)
                for block in count() if series.blocks is None else range(series.blocks):
                    connection.send(_play(rules, contenders, series, source, block))
        except (UnreadyBotError, BotFileError) as error:
            connection.send(error)


def _play(
    game: AnyGame,
    contenders: Sequence[Contender],
    series: Series,
    seed: Seed,
    block: int,
) -> BlockMatch:
    order = series.lineup.seating(block)
    transcript, refused = play_match(game, [contenders[at] for at in order], seed, block)
    written = written_down(transcript) if series.transcripts else None
    return BlockMatch(order, transcript.result, refused, written)
