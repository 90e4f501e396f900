"""The whole way: commands, a referee that is killed in the middle, sample bots over gRPC."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, aclosing
from fractions import Fraction
from pathlib import Path
from typing import Any

import psycopg
import pytest

from arena.database.channels import RESULTS_CHANNEL, TOURNAMENTS_CHANNEL
from arena.database.listening import notifications
from arena.local.loading import SAMPLE_BOTS
from arena.processes import spawn, stop
from arena.records import TournamentId
from arena.server.app.store import Store, open_store
from arena.server.tournaments.tournament import TournamentState
from tests.databases import plain
from tests.free_port import free_port

BOTS = {"honest": "honest", "timid": "timid", "chance": "random_bot", "fate": "random_bot"}
PAIRS, ROUNDS, TABLES = 6, 2, 2
ROBIN_BLOCKS, SWISS_BLOCKS = 40, 4


class Arena:
    """A database, and the processes that work on it."""

    def __init__(self, database: str, home: Path, stack: ExitStack) -> None:
        self.port = free_port()
        self.database = database
        self._environment = os.environ | {
            "ARENA_HOME": str(home),
            "ARENA_DATABASE_URL": database,
            "ARENA_LOG_LEVEL": "WARNING",
        }
        self._stack = stack

    def command(self, *words: str) -> Any:
        """Run a command; its JSON, if it was asked for."""
        done = subprocess.run(
            [sys.executable, "-m", "arena", *words],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if "--json" in words else done.stdout

    def referee(self, port: int | None = None) -> subprocess.Popen[bytes]:
        """Start a referee whose ladder has too few bots, and wait until it listens."""
        words = ["-m", "arena", "serve", "--port", str(port or self.port), "--table", "bluff:6"]
        started = spawn([sys.executable, *words], env=self._environment, stdout=subprocess.PIPE)
        self._stack.callback(stop, started)
        assert started.stdout is not None
        assert b"listens" in started.stdout.readline()
        return started

    def bot(self, file: str, token: str) -> None:
        """Start a sample bot."""
        own = {"ARENA_ADDRESS": f"127.0.0.1:{self.port}", "ARENA_TOKEN": token}
        started = spawn(
            [sys.executable, str(SAMPLE_BOTS / f"{file}.py")],
            env=self._environment | own,
            stderr=subprocess.DEVNULL,
        )
        self._stack.callback(stop, started)


@pytest.fixture
def arena(database: str, tmp_path: Path) -> Iterator[Arena]:
    with ExitStack() as stack:
        yield Arena(database, tmp_path, stack)


async def until(
    store: Store, database: str, reached: Callable[[Counter[str], dict[str, TournamentState]], bool]
) -> Counter[str]:
    """Wait until the blocks that count, and the states, by tournament, are as wanted."""
    channels = [RESULTS_CHANNEL, TOURNAMENTS_CHANNEL]
    async with aclosing(notifications(database, channels)) as told:
        async for _ in told:
            found, _ = await store.tournaments.newest(9)
            counts = await store.tournaments.block_counts([one.id for one in found])
            blocks = Counter({one.name: counts.get(one.id, 0) for one in found})
            if reached(blocks, {one.name: one.state for one in found}):
                return blocks
    raise AssertionError


def void_blocks(database: str) -> int:
    """How many blocks were voided."""
    with psycopg.connect(plain(database)) as connection:
        statement = "SELECT count(*) FROM blocks WHERE voided_at IS NOT NULL"
        ((count,),) = connection.execute(statement).fetchall()
    return int(count)


def points_by_bot(database: str, tournament: TournamentId) -> dict[str, Fraction]:
    """A point for a won match, half for a tie, straight from the tables."""
    with psycopg.connect(plain(database)) as connection:
        rows = connection.execute(
            """
            SELECT bots.name,
                   sum(CASE WHEN own."placing" < other."placing" THEN 2
                            WHEN own."placing" = other."placing" THEN 1 ELSE 0 END)
            FROM match_seats AS own
            JOIN match_seats AS other ON other.match_id = own.match_id AND other.seat <> own.seat
            JOIN matches ON matches.id = own.match_id
            JOIN blocks ON blocks.id = matches.block_id AND blocks.closed_at IS NOT NULL
            JOIN tournament_blocks ON tournament_blocks.block_id = blocks.id
            JOIN versions ON versions.id = own.version_id
            JOIN bots ON bots.id = versions.bot_id
            WHERE tournament_id = %s GROUP BY bots.name
            """,
            [tournament],
        ).fetchall()
    return {name: Fraction(int(halves), 2) for name, halves in rows}


@pytest.mark.timeout(300)  # a dozen processes are started, which takes its time on a busy machine
async def test_a_killed_referee_goes_on_with_its_tournaments(arena: Arena) -> None:
    async with open_store(arena.database) as store:
        tokens = {name: (await store.register(name, f"owner-of-{name}"))[1] for name in BOTS}
        create = ("tournament", "create", "--bots", ",".join(BOTS), "--option")
        options = ("dice_per_player=2", "--seed", "test")
        arena.command(
            *create, *options, "--format", "round-robin", "--blocks", str(ROBIN_BLOCKS), "robin"
        )
        arena.command(
            *create, *options, "--format", "swiss", "--blocks", str(SWISS_BLOCKS), "swiss"
        )
        for name in ("swiss", "knockout"):
            larger = ("--format", name, "--seats", "3", "--blocks", "8", f"{name}-of-3")
            arena.command(*create, *options, *larger)
        referee = arena.referee()
        late = "fate"  # so that no tournament can be over before the referee is killed
        for name in BOTS.keys() - {late}:
            arena.bot(BOTS[name], tokens[name])
        for name in ("swiss-of-3", "knockout-of-3"):
            await store.tournaments.change_state(
                name, TournamentState.RUNNING, before=[TournamentState.CREATED]
            )
        arena.command("tournament", "start", "swiss")
        arena.command("tournament", "start", "robin")
        before = await until(store, arena.database, lambda blocks, _: blocks["robin"] >= 20)
        referee.send_signal(signal.SIGKILL)
        referee.wait()
        stopped = await until(store, arena.database, lambda *_: True)
        assert stopped["robin"] < PAIRS * ROBIN_BLOCKS
        arena.referee()
        arena.bot(BOTS[late], tokens[late])
        after = await until(
            store,
            arena.database,
            lambda _, states: set(states.values()) == {TournamentState.FINISHED},
        )
        assert before["robin"] <= stopped["robin"] <= after["robin"] == PAIRS * ROBIN_BLOCKS
        assert after["swiss"] == ROUNDS * TABLES * SWISS_BLOCKS
        for name, wanted in (("robin", ROBIN_BLOCKS), ("swiss", SWISS_BLOCKS)):
            record = await store.tournaments.record(await store.tournaments.named(name))
            assert {len(one.blocks) for one in record.played()} == {wanted}
        robin = await store.tournaments.named("robin")
    assert void_blocks(arena.database) == 0
    standings = arena.command("tournament", "standings", "robin", "--json")
    # A match is half a block: its points are half a match's.
    straight = points_by_bot(arena.database, robin.id)
    assert {line["bot"]: line["points"] for line in standings} == {
        name: float(points) / 2 for name, points in straight.items()
    }
    assert [line["points"] for line in standings] == sorted(
        (float(points) / 2 for points in straight.values()), reverse=True
    )
    shown = arena.command("tournament", "show", "swiss", "--json")
    assert [one["round"] for one in shown["pairings"]] == [1, 1, 2, 2]
    assert shown["state"] == "finished"
    # Four bots at tables of three: one has a bye in the first round, and in each of the Swiss.
    for name, byes in (("swiss-of-3", [1, 2]), ("knockout-of-3", [1])):
        shown = arena.command("tournament", "show", name, "--json")
        assert [one["round"] for one in shown["pairings"] if one["bye"]] == byes
        tables = [one for one in shown["pairings"] if not one["bye"]]
        # Ties of a knockout are played on.
        assert [len(one["blocks"]) for one in tables] == [one["blocks_wanted"] for one in tables]
        assert [len(one["entries"]) for one in tables] == [3, 3]


@pytest.mark.timeout(300)
async def test_a_tournament_goes_on_with_another_referee_that_runs(arena: Arena) -> None:
    names, blocks = ("honest", "timid", "fate"), 100
    async with open_store(arena.database) as store:
        tokens = {name: (await store.register(name, name))[1] for name in names}
        create = ("tournament", "create", "--bots", ",".join(names), "--option")
        options = ("dice_per_player=2", "--seed", "test", "--blocks", str(blocks))
        arena.command(*create, *options, "--format", "round-robin", "robin")
        conducts = arena.referee(free_port())
        arena.referee()
        late = "fate"  # so that it cannot be over before the referee is killed
        for name in names:
            if name != late:
                arena.bot(BOTS[name], tokens[name])  # they know the other one's address
        arena.command("tournament", "start", "robin")
        await until(store, arena.database, lambda found, _: found["robin"] >= 10)
        conducts.send_signal(signal.SIGKILL)
        conducts.wait()
        arena.bot(BOTS[late], tokens[late])
        after = await until(
            store, arena.database, lambda _, states: states["robin"] is TournamentState.FINISHED
        )
        assert after["robin"] == 3 * blocks
    assert void_blocks(arena.database) == 0
