"""Deal blocks on other machines: a part of them in processes that end with it.

A worker of a cluster lives on, and may play another line-up of the same deal next. So the bots of a
part are loaded in processes of its own (`arena.local.lineup_processes`), under a program that the
worker runs and that ends when the part is played: `python -m arena.local.apart ASKED ANSWER`.
"""

import pickle
import sys
import tempfile
from collections import deque
from collections.abc import Generator, Iterable, Mapping
from concurrent.futures import Future
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeAlias

from arena.errors import UserError
from arena.executors import WorkPool
from arena.games import make_game
from arena.games.game import AnyGame
from arena.local.deal_blocks import BlockBrokenError, BlockMatch, DealBlocks, Series
from arena.local.lineup_processes import lineup_sets
from arena.processes import SubprocessError, module_command, run_to_end

_PROGRAM: Final = "arena.local.apart"
"""This module, which is also run as a program."""
PART_BLOCKS: Final = 200
"""About so many blocks make a part: starting its processes takes as long as a hundred."""

Part: TypeAlias = tuple[tuple[Series, ...], ...]
"""Series, one for each line-up, that play the same blocks; played one after the other."""
Blocks: TypeAlias = list[tuple[BlockMatch, ...]]


def play_deal_blocks_apart(
    workers: WorkPool, asked: DealBlocks
) -> Generator[tuple[BlockMatch, ...], None, None]:
    """Play deal blocks as `play_deal_blocks` does, by the workers of a cluster."""
    last = asked.blocks
    starts = (
        count(asked.first, PART_BLOCKS) if last is None else range(asked.first, last, PART_BLOCKS)
    )

    def part(start: int) -> tuple[Series, ...]:
        end = start + PART_BLOCKS if last is None else min(start + PART_BLOCKS, last)
        return tuple(asked.series(lineup, start, end) for lineup in asked.lineups)

    parts = ((part(start),) for start in starts)
    with closing(play_parts(workers, asked.game, parts)) as played:
        for complete in played:
            yield from complete


def play_parts(
    workers: WorkPool, game: AnyGame, parts: Iterable[Part]
) -> Generator[Blocks, None, None]:
    """Yield the blocks of each part, in the order of the parts, of which there may be no end.

    Raises UnreadyBotError, BotFileError and BlockBrokenError. Close it to give up the others.
    """
    asked: deque[Future[Blocks]] = deque()
    try:
        for part in parts:
            asked.append(
                workers.executor.submit(play_apart, game.name, game.options.changed(), part)
            )
            # As many again wait, so that no worker does.
            if len(asked) >= 2 * workers.count:
                yield asked.popleft().result()
        while asked:
            yield asked.popleft().result()
    finally:
        for waiting in asked:
            waiting.cancel()


def play_apart(game: str, options: Mapping[str, Any], part: Part) -> Blocks:
    """Return the blocks of a part, played by a program of its own."""
    with tempfile.TemporaryDirectory() as folder:
        asked, answer = Path(folder, "asked"), Path(folder, "answer")
        asked.write_bytes(pickle.dumps((game, dict(options), part)))
        try:
            run_to_end(module_command(_PROGRAM, str(asked), str(answer)), stderr=None)
        except SubprocessError as error:
            raise BlockBrokenError(f"A part was not played: {error}.") from error
        found: Blocks | UserError = pickle.loads(answer.read_bytes())  # noqa: S301  our own
    if isinstance(found, UserError):
        raise found
    return found


def _play(game: str, options: Mapping[str, Any], part: Part) -> Blocks:
    blocks: Blocks = []
    with lineup_sets(make_game(game, options), len(part[0])) as (at_play,):
        for together in part:
            for process, series in zip(at_play, together, strict=True):
                process.begin(series)
            blocks += [
                tuple([process.next_match() for process in at_play]) for _ in together[0].numbers()
            ]
    return blocks


def main(asked: Path, answer: Path) -> None:
    """Play the part in the file `asked`."""
    found: Blocks | UserError
    try:
        found = _play(*pickle.loads(asked.read_bytes()))  # noqa: S301  our own
    except UserError as error:
        found = error
    answer.write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
