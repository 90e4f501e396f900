"""The programs that `arena up` starts beside the referee: sample bots and the dashboard."""

import os
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from arena.home.loading import SAMPLE_BOTS, bot_file, load_bot, sample_names
from arena.processes import spawn, stop_all
from arena.scheduling.ladder import TableType
from arena.storage.store import Store

BOT_NICENESS = 10
"""Sample bots think on whatever cores there are; the pages and everybody's bots come first."""

STOP_SECONDS = 2.0
"""How long they may take to stop: they are told when no match runs, and have nothing to save."""

HOUSE = "house"
"""The owner of the sample bots."""


class Children:
    """Running programs by name, each with a log of its own. None outlives this process."""

    def __init__(self, logs: Path, stack: ExitStack) -> None:
        self._logs = logs
        self._stack = stack
        self._started: list[subprocess.Popen[bytes]] = []
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        stack.callback(stop_all, self._started, STOP_SECONDS)

    def start(
        self, name: str, arguments: Sequence[str], *, niceness: int = 0, **environment: str
    ) -> None:
        """Run `python arguments…` with its output in logs/<name>.log."""
        log = self._stack.enter_context((self._logs / f"{name}.log").open("wb"))
        child = spawn(
            [sys.executable, *arguments],
            env=os.environ | environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            niceness=niceness,
        )
        self._started.append(child)
        self._running[name] = child

    def ended(self) -> Iterator[str]:
        """A sentence for each program that has ended since the last call."""
        for name, child in list(self._running.items()):
            if child.poll() is not None:
                del self._running[name]
                yield f"{name} ended with code {child.returncode}: see {self._logs}/{name}.log"


@contextmanager
def children(logs: Path) -> Iterator[Children]:
    """Programs that are stopped when the block is left."""
    logs.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        yield Children(logs, stack)


def start_sample_bots(running: Children, address: str, tokens: Mapping[str, str]) -> None:
    """Start each sample bot that has a token, as anybody would start a bot."""
    for name, token in tokens.items():
        running.start(
            name,
            [str(bot_file(name))],
            niceness=BOT_NICENESS,
            ARENA_ADDRESS=address,
            ARENA_TOKEN=token,
        )


async def house_tokens(store: Store, ladders: Sequence[TableType]) -> dict[str, str]:
    """A fresh token for each sample bot that plays one of the games, registered if need be.

    A name that somebody else has taken, or that was retired, is left out.
    """
    games = {ladder.game for ladder in ladders}
    known = {bot.bot: bot for bot in await store.bots()}
    tokens = {}
    for name in sample_names():
        if not games.intersection(load_bot(name).games):
            continue
        if name not in known:
            _, tokens[name] = await store.register(name, HOUSE, house=True)
        elif known[name].house and known[name].retired_at is None:
            tokens[name] = await store.rotate_token(name)
    return tokens


def nobody_to_play(ladders: Sequence[TableType], names: Collection[str]) -> Iterator[str]:
    """A sentence for each ladder that the sample bots of these names are too few to play on."""
    for ladder in ladders:
        able = [name for name in names if ladder.game in load_bot(name).games]
        if len(able) < ladder.seats:
            found = ", ".join(able) or "none"
            yield (
                f"Nothing is played at {ladder.game}:{ladder.seats} before more bots come: of the "
                f"sample bots {found} can sit there (they are looked for in {SAMPLE_BOTS}). "
                "Register bots with `arena bot register`."
            )
