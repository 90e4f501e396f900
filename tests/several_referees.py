"""Referees on one database as programs, and bots that write down what they are told."""

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
from sqlalchemy import make_url

from arena.processes import Process, spawn
from tests.chaos.stage import register
from tests.databases import plain
from tests.end_to_end.programs import ROOT, Program
from tests.fault_proxy import FaultProxy
from tests.free_port import free_port

BOTS = 4
PATIENCE = 180.0
"""The most seconds to wait for anything, also on a busy machine."""


class Referees:
    """Referees on one database, and bots that know the address of the first, or another one."""

    def __init__(self, home: Path, url: str, stack: contextlib.ExitStack) -> None:
        self.home, self.url, self.stack = home, url, stack
        home.mkdir(parents=True)
        self.sql = stack.enter_context(psycopg.connect(plain(url), autocommit=True))
        self.running: list[Program] = []
        place = make_url(url)
        self.proxy = FaultProxy(f"{place.query['host']}/.s.PGSQL.5432")
        stack.callback(self.proxy.close)
        self._behind = place.set(host="127.0.0.1", port=self.proxy.port, query={})
        self.addresses: list[str] = []

    def start(self, *, behind_proxy: bool = False, **settings: str) -> Program:
        """Start another referee, and wait until it listens.

        With `behind_proxy` its connections to the database can be cut. Bots play at all referees,
        unless the first has other settings.
        """
        port = free_port()
        url = self._behind.render_as_string(hide_password=False) if behind_proxy else self.url
        referee = Program(
            self.home / f"referee{len(self.addresses)}",
            *("serve", "--port", str(port), "--table", "bluff:2:dice_per_player=3"),
            **{
                "ARENA_DATABASE_URL": url,
                "ARENA_HOSTING": "false",
                "ARENA_SPREAD_LOAD": "0",
            }
            | settings,
        )
        self.stack.callback(end, referee)
        referee.port()
        self.running.append(referee)
        self.addresses.append(f"127.0.0.1:{port}")
        return referee

    def start_bots(
        self, address: str = "", *, places: int = 8, milliseconds: int = 10
    ) -> list[Process]:
        """Start the bots at an address, by default that of the first referee.

        Each plays up to `places` matches, and thinks for `milliseconds` before it acts.
        """
        address = address or self.addresses[0]
        tokens = asyncio.run(register(self.url, BOTS))
        how = str(places), str(milliseconds)
        return [self._start_bot(*numbered, address, *how) for numbered in enumerate(tokens)]

    def _start_bot(self, number: int, token: str, address: str, *how: str) -> Process:
        files = [str(self.home / f"{kind}{number}") for kind in ("ends", "acts")]
        with (self.home / f"bot{number}.log").open("ab") as log:
            bot = spawn(
                [sys.executable, "-m", "tests.chaos.bot", *files, *how],
                cwd=ROOT,
                env=os.environ | {"ARENA_ADDRESS": address, "ARENA_TOKEN": token},
                stdout=log,
                stderr=log,
            )
        self.stack.callback(bot.wait)
        self.stack.callback(bot.kill)
        return bot

    def ids(self, statement: str) -> set[str]:
        """The first column of a statement's rows, as text."""
        return {str(row[0]) for row in self.sql.execute(statement.encode())}

    def until(self, condition: Callable[[], object], what: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, f"{what}: {self.said()}"
            time.sleep(0.05)

    def until_all_play(self) -> None:
        """Wait until each bot has played at each referee since the call."""
        before = self._played()
        self.until(
            lambda: all(
                now.get((int(epoch), int(bot)), 0) > before.get((int(epoch), int(bot)), 0)
                for now in [self._played()]
                for epoch in self.ids("SELECT epoch FROM leases")
                for bot in self.ids("SELECT id FROM versions")
            ),
            "not all bots play at all referees",
        )

    def _played(self) -> dict[tuple[int, int], int]:
        """The matches of each referee and bot."""
        rows = self.sql.execute(
            "SELECT epoch, version_id, count(*) FROM blocks JOIN matches ON block_id = blocks.id "
            "JOIN match_seats ON match_id = matches.id GROUP BY epoch, version_id"
        )
        return {(epoch, version): count for epoch, version, count in rows}

    def until_taken_over(self) -> None:
        """Wait until one referee is left, which has taken over from the others."""
        self.until(lambda: len(self.ids("SELECT epoch FROM leases")) == 1, "not taken over")

    def said(self) -> str:
        logs = [log.read_text()[-4000:] for log in self.home.glob("*.log")]
        return "\n".join([one.complained[-3000:] for one in self.running] + logs)

    def ends(self) -> list[tuple[str, str]]:
        """(match id, placing) of every end that any bot was told."""
        lines = [line for file in self.home.glob("ends*") for line in file.open()]
        return [(match, placing) for match, placing in map(str.split, lines)]

    def check(self, ever_running: set[str]) -> None:
        """Check the database, after the bots have left."""
        self.until(
            lambda: (
                not self.ids(
                    "SELECT id FROM running_blocks UNION ALL SELECT id FROM running_matches "
                    "UNION ALL SELECT id FROM blocks WHERE closed_at IS NULL"
                )
            ),
            "not all blocks are over",
        )
        recorded = self.ids("SELECT match_id FROM transcripts")
        assert ever_running <= recorded
        found = self.sql.execute(
            "SELECT match_id::text, string_agg(\"placing\"::text, ',' ORDER BY seat) "
            "FROM match_seats GROUP BY match_id"
        )
        placings = dict(found.fetchall())
        assert [one for one in self.ends() if placings.get(one[0]) != one[1]] == []
        found = self.sql.execute(
            "SELECT match_id::text, reason, bots.name FROM match_seats JOIN versions ON "
            "versions.id = version_id JOIN bots ON bots.id = bot_id LEFT JOIN match_faults USING "
            "(match_id) WHERE faults > 0"
        )
        faults = found.fetchall()
        assert faults == [], f"{faults}\n{self.said()}"
        rated = self.sql.execute("SELECT count(*), count(DISTINCT match_id) FROM rating_events")
        assert rated.fetchall() == [(len(recorded), len(recorded))]
        assert self.ids("SELECT match_id FROM running_replies") == set()


def end(referee: Program) -> None:
    if referee.process.poll() is None:
        referee.process.send_signal(signal.SIGCONT)
        referee.kill()


def leave(bots: list[Process]) -> None:
    """Ask the bots to leave, and wait until they have."""
    for bot in bots:
        bot.terminate()  # they drain
    for bot in bots:
        assert bot.wait(120) == 0
