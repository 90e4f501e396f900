"""An arena that hosts bots, and workers for it."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg

from arena.builds.build import read_build
from arena.builds.hosted import HostingTerms
from arena.games import make_game
from arena.processes import spawn, stop
from arena.records import Allowance, Owner
from arena.scheduling.ladder import TableType
from arena.server.app.arena import Arena
from arena.server.app.assembly import running_arena
from arena.server.app.referee_settings import RefereeSettings
from benchmarks.referee_load.stage import database
from tests.databases import plain
from tests.jobs import accept_build, shift_token
from tests.server.events.cups import RULES, said

_ALLOWANCE = Allowance(bots=10, bot_versions_a_day=10, owner_versions_a_day=10)
BLUFF = TableType("bluff", make_game("bluff").options, 2)
LOOK_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class HostingArena:
    """A referee in this process, with a database of its own."""

    arena: Arena
    url: str
    home: Path
    socket: Path
    terms: HostingTerms

    async def recorded(self, matches: int) -> None:
        """Wait until that many matches are recorded."""
        there = asyncio.Event()
        self.arena.when_recorded(matches, there.set)
        await there.wait()

    async def owner(self, name: str) -> tuple[Owner, str]:
        """Sign up a new owner; return it and its key."""
        return await self.arena.store.owners.sign_up(name, None)

    async def token(self, bot: str) -> str:
        """Register a bot of a new owner; return the bot's token."""
        return (await self.arena.store.register(bot, f"owner of {bot}"))[1]

    async def host(self, bot: str, text: str) -> None:
        """Upload a bot for a new owner, without a check."""
        owner, _ = await self.owner(f"owner of {bot}")
        build, store = read_build("bot.py", text.encode()), self.arena.store
        await store.builds.upload(owner, bot, "1", build, self.terms, _ALLOWANCE)
        await accept_build(store, self.url, bot)

    async def cup(self, name: str, blocks: int, bots: Sequence[str] = ()) -> None:
        """Make an event of Bluff at two seats with bots of these programs, each of a new owner."""
        store = self.arena.store
        await store.events.create(
            name, said(replace(RULES, options={}, blocks=blocks)), "benchmark"
        )
        for number, text in enumerate(bots):
            await self.host(f"bot-{number}", text)
            owner = await store.owners.named(f"owner of bot-{number}")
            await store.events.enter(owner, name, f"bot-{number}")

    def rows(self, statement: str, values: Mapping[str, object] = {}) -> list[Any]:
        """Run a statement in a transaction of its own; return its rows."""
        with psycopg.connect(plain(self.url), autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), values)
            return cursor.fetchall() if cursor.description else []

    async def until(self, statement: str, reached: Callable[[list[Any]], bool]) -> list[Any]:
        """Run a statement repeatedly until its rows are as wanted; return these."""
        while not reached(rows := self.rows(statement)):  # noqa: ASYNC110  only the database knows
            await asyncio.sleep(LOOK_SECONDS)
        return rows

    async def shift_token(self, bot: str) -> str:
        """Host a bot of a new owner; return the token of its first shift."""
        await self.host(bot, "pass")
        return await shift_token(self.arena.store, self.url, bot)

    @asynccontextmanager
    async def worker(self, slots: int) -> AsyncIterator[None]:
        """Run `arena work`, which also checks uploads, while the block runs."""
        token = await self.arena.store.workers.add("worker", "benchmark")
        process = spawn(
            [sys.executable, "-m", "arena", "work", "--slots", str(slots)],
            env=os.environ
            | {
                "ARENA_HOME": str(self.home / "worker"),
                "ARENA_DATABASE_URL": self.url,
                "ARENA_SOCKET": str(self.socket),
                "ARENA_ADDRESS": f"127.0.0.1:{self.arena.port}",
                "ARENA_WORKER_TOKEN": token,
                "ARENA_LOG_LEVEL": "ERROR",
            },
            stdout=subprocess.DEVNULL,
            death_signal=signal.SIGKILL,
        )
        try:
            yield
        finally:
            stop(process)


@asynccontextmanager
async def hosting_arena(terms: HostingTerms = HostingTerms()) -> AsyncIterator[HostingArena]:
    """Run an arena that hosts bots, for Bluff at two seats."""
    with _home() as home, database() as url:
        socket = home / "sockets/referee.sock"
        settings = RefereeSettings(table_types=(BLUFF,), socket=socket, hosting=terms)
        async with running_arena(url, settings) as arena:
            yield HostingArena(arena, url, home, socket, terms)


@contextmanager
def _home() -> Iterator[Path]:
    """Yield a temporary folder that has a folder for sockets."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as name:
        home = Path(name)
        home.chmod(0o711)
        (home / "sockets").mkdir(mode=0o700)
        yield home
