"""`playing`: the one way to play matches without a server, in any of these places.

this process         matches of a single line-up, with one job, or until more processes are faster
processes            one for each line-up (`arena.local.lineup_processes`)
a cluster            parts in processes of its workers (`arena.local.apart`)
programs             each bot is a process that connects (`arena.local.programs.table`)

The same seed gives the same matches everywhere, except that programs send their own entropy.
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from arena.executors import WorkPool
from arena.games.game import AnyGame
from arena.local.apart import play_apart
from arena.local.deal_blocks import NamedBot, PlayedBlock, Series
from arena.local.lineup_processes import lineup_sets, play_in_processes, played
from arena.local.programs.program import CONNECT_SECONDS
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl

_ALONE_SECONDS = 0.5
_WORTH_SECONDS = 1.0
"""The remaining work that justifies further processes, which take half a second to start."""

PlaySeries: TypeAlias = Callable[[Iterable[Series]], Generator[PlayedBlock]]
"""Yields the complete blocks of the series, in order. Finish one call before the next.

Raises UnreadyBotError, BotFileError, BlockBrokenError and BotProgramError."""


@dataclass(frozen=True, slots=True)
class Where:
    """Where matches are played."""

    jobs: int = 1
    """The number of processes at a time; several line-ups have at least one process each."""
    if_it_pays: bool = False
    """Whether a single line-up uses more processes only when these are clearly faster."""
    workers: WorkPool | None = None
    """The cluster that plays instead of this machine, if any."""
    logs: Path | None = None
    """The folder of the programs' logs, if one of the bots is a program that connects."""
    connect_seconds: float = CONNECT_SECONDS
    """The time that a program may take to connect."""
    address: str = "127.0.0.1:0"
    """The address to which programs connect."""


@contextmanager
def playing(
    game: AnyGame,
    entries: Sequence[NamedBot],
    lineups: int,
    where: Where,
    control: TimeControl = DEFAULT_TIME_CONTROL,
) -> Iterator[PlaySeries]:
    """Provide a function that plays series with `lineups` line-ups of these bots."""
    if where.logs is not None:
        # Imported here: other matches must not wait for gRPC.
        from arena.local.programs.table import ProgramTable

        with ProgramTable(
            game,
            entries,
            where.logs,
            time_control=control,
            connect_seconds=where.connect_seconds,
            address=where.address,
        ) as table:
            yield table.play
    elif where.workers is not None:
        yield partial(play_apart, where.workers, game, control)
    elif lineups == 1 and (where.if_it_pays or where.jobs == 1):
        yield partial(_play_here, game, control, where.jobs)
    else:
        with lineup_sets(game, lineups, control, where.jobs) as sets:
            yield partial(play_in_processes, sets)


def _play_here(
    game: AnyGame, control: TimeControl, jobs: int, asked: Iterable[Series]
) -> Generator[PlayedBlock]:
    """Play in this process, and the rest of a series in `jobs` as soon as that is faster."""
    for series in asked:
        begun = time.perf_counter()
        for number, match in enumerate(played(game, series, control), start=series.first + 1):
            yield (match,)
            seconds = time.perf_counter() - begun
            if jobs > 1 and seconds >= _ALONE_SECONDS and _help_pays(seconds, series, number):
                with lineup_sets(game, 1, control, jobs) as sets:
                    yield from play_in_processes(sets, [replace(series, first=number)])
                break


def _help_pays(seconds: float, series: Series, number: int) -> bool:
    """Return whether further processes would save time from block `number` on."""
    if series.blocks is None:
        return True
    return seconds / (number - series.first) * (series.blocks - number) >= _WORTH_SECONDS
