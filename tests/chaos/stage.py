"""A stage for chaos: a database, a referee and bots, each a program that can be killed."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import make_url

from arena.database.embedded import EmbeddedPostgres
from arena.database.schema import migrate
from arena.server.app.store import open_store
from tests.chaos.bot import Chronicler
from tests.chaos.small_disk import small_disk
from tests.chaos.wall_clock import WallClock
from tests.databases import plain
from tests.end_to_end.programs import ROOT, Program
from tests.fault_proxy import FaultProxy
from tests.free_port import free_port
from tests.waiting import until

BOTS = 4
DISK_MEGABYTES = 2_048
"""For the database: its log of changes alone may grow to half of it."""
SPOOL_MEGABYTES = 16
STANDSTILL_SECONDS = 0.5
"""Far longer than a bot thinks."""
PATIENCE = 90.0
"""Seconds until play must have gone on, on however busy a machine. How long it took is reported."""


class Stage:
    """Everything that runs. Bots reach the referee through a proxy, whichever port it is on, and
    the referee reaches the database through another."""

    def __init__(self, home: Path, stack: contextlib.ExitStack) -> None:
        """`stack` ends all of it."""
        self.home = home
        self._referee_home = home.parent / "referee"
        self.disk = stack.enter_context(small_disk(home, DISK_MEGABYTES))
        self.spool_disk = stack.enter_context(small_disk(self._referee_home, SPOOL_MEGABYTES))
        """None of them where we may not mount."""
        self.clock = WallClock(home.parent) if WallClock.available() else None
        """Of referees that are started by it."""
        self._postgres = EmbeddedPostgres(home / "postgres")
        self.url = stack.enter_context(self._postgres)
        migrate(self.url)
        self._tokens = asyncio.run(register(self.url, BOTS))
        self.proxy = FaultProxy(("127.0.0.1", free_port()))
        stack.callback(self.proxy.close)
        place = make_url(self.url)
        self.database_proxy = FaultProxy(f"{place.query['host']}/.s.PGSQL.5432")
        stack.callback(self.database_proxy.close)
        behind = place.set(host="127.0.0.1", port=self.database_proxy.port, query={})
        self._referee_url = behind.render_as_string(hide_password=False)
        self._sql: psycopg.Connection | None = None
        self._programs: list[Program] = []
        self.bots: list[subprocess.Popen[bytes]] = []
        stack.callback(self._end)
        self.referee = self.start_referee()
        self.bots = [self.start_bot(number) for number in range(BOTS)]

    def _end(self) -> None:
        for bot in self.bots:
            bot.kill()
            bot.wait()
        for referee in self._programs:
            if referee.process.poll() is None:
                referee.process.send_signal(signal.SIGCONT)
                referee.kill()
        if self._sql is not None:
            self._sql.close()

    # The database

    @property
    def postmaster(self) -> int:
        """The process id of the database server."""
        return int((self.home / "postgres" / "postmaster.pid").read_text().split()[0])

    def sql(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """The rows of a statement, as soon as the database answers."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                if self._sql is None:
                    self._sql = psycopg.connect(plain(self.url), autocommit=True)
                return self._sql.execute(statement.encode(), parameters).fetchall()
            except psycopg.OperationalError:
                self._sql = None
                assert time.monotonic() < deadline, "the database did not come back"
                time.sleep(0.05)

    def until_one_referee(self) -> None:
        """Until all but one have been taken over from."""
        leases = "SELECT count(*) FROM leases"
        until(lambda: self.count(leases) <= 1, PATIENCE, why="nobody has taken over")

    def ids(self, statement: str) -> set[str]:
        """The first column of a statement's rows, as text."""
        return {str(row[0]) for row in self.sql(statement)}

    def count(self, statement: str) -> int:
        """The only number that a statement finds."""
        ((number,),) = self.sql(statement)
        return int(number)

    # Programs

    def start_referee(self, clock: WallClock | None = None) -> Program:
        """A new referee; new connections of bots go to it."""
        port = free_port()
        environment: Mapping[str, str] = {} if clock is None else clock.environment
        referee = Program(
            self._referee_home,
            *("serve", "--port", str(port), "--table", "bluff:2:dice_per_player=3"),
            ARENA_DATABASE_URL=self._referee_url,
            ARENA_LOG_LEVEL="WARNING",
            **environment,
        )
        self._referee_clock = clock
        self._programs.append(referee)
        self.proxy.target = ("127.0.0.1", port)
        return referee

    def now(self) -> datetime:
        """What the clock of the current referee shows."""
        return datetime.now(UTC) if self._referee_clock is None else self._referee_clock.now()

    @property
    def pauses(self) -> int:
        """How often the current referee has begun no more matches, for want of a spool."""
        return self.referee.complained.count("no new matches begin")

    @property
    def spooled(self) -> int:
        """Bytes in the spools of the referees."""
        return sum(file.stat().st_size for file in self._referee_home.glob("*.spool"))

    def start_bot(self, number: int) -> "subprocess.Popen[bytes]":
        """A bot that was never there, or a new run of one that ended."""
        log = (self.home.parent / f"bot{number}.log").open("ab")
        with log:
            return subprocess.Popen(
                [sys.executable, "-m", "tests.chaos.bot", *map(str, self._files_of(number))],
                cwd=ROOT,
                env=os.environ
                | {
                    "ARENA_ADDRESS": f"127.0.0.1:{self.proxy.port}",
                    "ARENA_TOKEN": self._tokens[number],
                },
                stdout=log,
                stderr=log,
            )

    def restart_bot(self, number: int) -> None:
        """Kill a bot and start it again."""
        self.bots[number].kill()
        self.bots[number].wait()
        self.bots[number] = self.start_bot(number)

    def ends(self) -> list[tuple[str, str]]:
        """(match id, placing) of every end that any bot has seen, in any run."""
        found = []
        for number in range(BOTS):
            with contextlib.suppress(FileNotFoundError):
                for line in self._files_of(number)[0].read_text().splitlines():
                    match_id, placing = line.split()
                    found.append((match_id, placing))
        return found

    @property
    def acts(self) -> int:
        """How often bots have acted."""
        files = [self._files_of(number)[1] for number in range(BOTS)]
        return sum(file.stat().st_size for file in files if file.exists())

    def _files_of(self, number: int) -> tuple[Path, Path]:
        return self.home.parent / f"ends{number}", self.home.parent / f"acts{number}"

    # Waiting

    def until_play_goes_on(self) -> None:
        """Wait for actions; turns that bots had already received do not count."""
        known = self.acts + BOTS * Chronicler.max_matches
        self.until(lambda: self.acts > known, "the next action")

    def until_nobody_acts(self) -> None:
        """Wait until bots have had nothing to do for a while."""
        last, since = self.acts, time.monotonic()

        def looked() -> None:
            nonlocal last, since
            if self.acts > last:
                last, since = self.acts, time.monotonic()

        self.until(lambda: time.monotonic() - since > STANDSTILL_SECONDS, "a pause of play", looked)

    def until_recorded(self, since: datetime) -> None:
        """Wait for a match that was played to its end later, by the referee's clock."""
        statement = "SELECT EXISTS (SELECT FROM matches WHERE finished_at > %s)"
        self.until(lambda: self.sql(statement, since)[0][0], "the next result")

    def until(
        self, condition: Callable[[], object], what: str, work: Callable[[], None] = lambda: None
    ) -> float:
        """Wait, and `work` meanwhile; how many seconds it took."""
        began = time.monotonic()
        while not condition():
            work()
            waited = time.monotonic() - began
            assert waited < PATIENCE, f"{what} took longer than {PATIENCE:g} s:\n{self.said()}"
            time.sleep(0.02)
        return time.monotonic() - began

    def said(self) -> str:
        """What the current referee has said, and how the bots are, for a failure's message."""
        states = [bot.poll() for bot in self.bots]
        return f"{self.referee.said}{self.referee.complained}\nbots: {states}"


@contextlib.contextmanager
def stage(home: Path) -> Iterator[Stage]:
    """A stage on which matches are being played."""
    with contextlib.ExitStack() as stack:
        opened = Stage(home, stack)
        opened.until(lambda: opened.count("SELECT count(*) FROM matches") >= 20, "the first play")
        yield opened


async def register(url: str, bots: int) -> list[str]:
    """Registers so many bots. Returns their tokens."""
    async with open_store(url) as store:
        return [(await store.register(f"bot{n}", f"owner{n}"))[1] for n in range(bots)]
