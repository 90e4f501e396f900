"""Deal blocks on other machines: each part of them in new processes, which end with the part.

A worker of a cluster keeps running, and may play another line-up of the same deal next. So the bots
of a part are loaded in separate processes (`arena.local.lineup_processes`), under a program that
the worker runs and that ends with the part: `python -m arena.local.apart ASKED ANSWER`.
"""

import pickle
import sys
import tempfile
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeAlias

from arena.errors import UserError
from arena.executors import WorkPool
from arena.games import make_game
from arena.games.game import AnyGame
from arena.local.deal_blocks import BlockBrokenError, PlayedBlock, Series
from arena.local.lineup_processes import lineup_sets, play_in_processes
from arena.match.clock import TimeControl
from arena.processes import SubprocessError, module_command, run_to_end

_PROGRAM: Final = "arena.local.apart"
"""This module, which is also run as a program."""
PART_BLOCKS: Final = 200
"""The most blocks of a part; starting its processes takes as long as playing about a hundred."""

Part: TypeAlias = tuple[Series, ...]


def play_apart(
    workers: WorkPool, game: AnyGame, control: TimeControl, asked: Iterable[Series]
) -> Generator[PlayedBlock]:
    """Yield the blocks of the series, in order, played in parts by the workers of a cluster.

    Raises UnreadyBotError, BotFileError and BlockBrokenError. Close it to cancel the rest.
    """
    under_way: deque[Future[list[PlayedBlock]]] = deque()
    rules = game.name, game.options.changed(), control
    try:
        for part in _parts(asked):
            under_way.append(workers.executor.submit(_play_part, *rules, part))
            # Twice as many parts as workers, so that no worker has to wait for its next part.
            if len(under_way) >= 2 * workers.count:
                yield from under_way.popleft().result()
        while under_way:
            yield from under_way.popleft().result()
    finally:
        for waiting in under_way:
            waiting.cancel()


def _parts(asked: Iterable[Series]) -> Iterator[Part]:
    """Yield parts of up to PART_BLOCKS blocks: long series are split, short ones combined."""
    part: Part = ()
    size = 0
    for series in asked:
        last = series.blocks
        for first in count(series.first, PART_BLOCKS):
            end = first + PART_BLOCKS if last is None else min(first + PART_BLOCKS, last)
            if first >= end:
                break
            if size + end - first > PART_BLOCKS:
                yield part
                part, size = (), 0
            part, size = (*part, replace(series, first=first, blocks=end)), size + end - first
    if part:
        yield part


def _play_part(
    game: str, options: Mapping[str, Any], control: TimeControl, part: Part
) -> list[PlayedBlock]:
    """Return the blocks of a part, played by a separate program."""
    with tempfile.TemporaryDirectory() as folder:
        asked, answer = Path(folder, "asked"), Path(folder, "answer")
        asked.write_bytes(pickle.dumps((game, dict(options), control, part)))
        try:
            run_to_end(module_command(_PROGRAM, str(asked), str(answer)), stderr=None)
        except SubprocessError as error:
            raise BlockBrokenError(f"A part was not played: {error}.") from error
        found: list[PlayedBlock] | UserError = pickle.loads(answer.read_bytes())  # noqa: S301  our own
    if isinstance(found, UserError):
        raise found
    return found


def main(asked: Path, answer: Path) -> None:
    """Play the part in the file `asked`, and write the result to the file `answer`."""
    found: list[PlayedBlock] | UserError
    try:
        game, options, control, part = pickle.loads(asked.read_bytes())  # noqa: S301  our own
        with lineup_sets(make_game(game, options), len(part[0].lineups), control) as sets:
            found = list(play_in_processes(sets, part))
    except UserError as error:
        found = error
    answer.write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
