"""Work of a cluster: dask's scheduler and two workers, all on this machine."""

import asyncio
import json
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from distributed import LocalCluster

from arena.commands.results.keep_analyses import analyse_missing
from arena.executors import ClusterError, WorkPool, cluster, processes
from arena.games import make_game
from arena.local.apart import PART_BLOCKS
from arena.local.bot_modules import BotFileError
from arena.local.deal_blocks import NamedBot, PlayedBlock, Series, every_rotation
from arena.local.playing import Where, playing
from arena.server.app.store import open_store
from tests.commands.running import arena
from tests.dashboard.played import fill
from tests.databases import plain
from tests.free_port import free_port
from tests.ladder_log import forget_analyses, kept_analyses

LOCAL = ("tournament", "play")
PAIR = (NamedBot("one", "honest"), NamedBot("two", "random"))


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as running:
        yield running.scheduler_address


@pytest.fixture
def workers(address: str) -> Iterator[WorkPool]:
    with cluster(address) as found:
        yield found


def answer(*words: object) -> dict[str, Any]:
    said = arena(*words, "--json")
    assert said.exit_code in (0, 1, 3), said.output
    found: dict[str, Any] = json.loads(said.stdout)
    return found


def blocks(where: Where, series: Series) -> Generator[PlayedBlock]:
    """Yield the blocks of a series of PAIR, played at dice of one."""
    game = make_game("bluff", {"dice_per_player": 1})
    with (
        playing(game, PAIR, len(series.lineups), where) as play,
        closing(play([series])) as played,
    ):
        yield from played


@pytest.mark.slow
def test_a_cluster_plays_what_this_machine_plays(workers: WorkPool) -> None:
    series = Series(every_rotation(PAIR), "seed", PART_BLOCKS + 10, transcripts=True)
    assert workers.count == 2
    assert list(blocks(Where(workers=workers), series)) == list(blocks(Where(), series))


@pytest.mark.slow
def test_short_and_long_series_come_in_order_wherever_they_are_played(workers: WorkPool) -> None:
    game = make_game("bluff", {"dice_per_player": 1})
    lengths = (1, PART_BLOCKS - 1, 0, 5, 2 * PART_BLOCKS, 3, 1, 1)
    asked = [
        Series(every_rotation(PAIR), f"seed {number}", length)
        for number, length in enumerate(lengths)
    ]
    found = []
    for where in (Where(), Where(jobs=6), Where(workers=workers)):
        with playing(game, PAIR, 2, where) as play:
            found.append(list(play(asked)))
    assert len(found[0]) == sum(lengths)
    assert found[0] == found[1] == found[2]
    one_by_one = [block for series in asked for block in blocks(Where(), series)]
    assert found[0] == one_by_one


@pytest.mark.slow
def test_a_series_without_end_can_be_given_up(workers: WorkPool) -> None:
    series = Series(every_rotation(PAIR), "seed")
    with closing(blocks(Where(workers=workers), series)) as there:
        first = next(there)
    with closing(blocks(Where(), series)) as here:
        assert first == next(here)


@pytest.mark.slow
def test_a_bot_that_is_not_there_is_named(workers: WorkPool) -> None:
    missing = every_rotation((PAIR[0], NamedBot("two", "nowhere.py")))
    with pytest.raises(BotFileError, match="nowhere"):
        list(blocks(Where(workers=workers), Series(missing, "seed", 1)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["play", "honest", "random", "-n", 30],
        ["play", "honest", "random", "-n", 30, "--same-deals"],
        ["test", "honest", "random", "--max-blocks", 30],
        [*LOCAL, "--format", "swiss", "--bots", "honest,random,timid", "--blocks", 3],
        [*LOCAL, "--format", "round-robin", "--bots", "honest,random", "--fresh-deals"],
    ],
    ids=str,
)
def test_commands_say_the_same_whoever_works(address: str, words: list[object]) -> None:
    there = answer(*words, "--seed", "7", "--cluster", address)
    here = answer(*words, "--seed", "7", "--jobs", 1)
    for told in (there, here):
        told.pop("matches_per_second", None)
    assert there == here


def test_a_cluster_that_is_not_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.executors.CONNECT_SECONDS", 0.5)
    with (
        pytest.raises(ClusterError, match=r"No scheduler answers at tcp://127\.0\.0\.1"),
        cluster(f"tcp://127.0.0.1:{free_port()}"),
    ):
        pass


@pytest.mark.slow
def test_programs_that_connect_play_here(address: str, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for words in (["play", "honest", program], ["test", "honest", program]):
        said = arena(*words, "--cluster", address)
        assert said.exit_code == 2
        assert "programs that connect play on this machine only" in said.output


@pytest.mark.slow
def test_matches_are_analysed_by_a_cluster(database: str, address: str) -> None:
    asyncio.run(fill(database, blocks=2))
    asyncio.run(analyse_missing(database, seats=2, jobs=1, follow=False))
    here = kept_analyses(database)
    assert len(here.matches) == 4
    forget_analyses(database)
    asyncio.run(analyse_missing(database, seats=2, jobs=1, follow=False, cluster=address))
    assert kept_analyses(database) == here


@pytest.mark.slow
def test_boards_are_checked_the_same_by_a_cluster(
    database: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    asyncio.run(fill(database, blocks=3))
    asyncio.run(fill(database, blocks=3, seats=3))
    here = answer("check-boards", "--write", "--jobs", 1)
    assert here["correct"] and [one["matches"] for one in here["boards"]] == [6, 9]
    assert answer("check-boards", "--cluster", address) == here


@pytest.mark.slow
@pytest.mark.parametrize("where", ["processes", "cluster"])
def test_luck_is_measured_the_same_by_whom_ever(database: str, address: str, where: str) -> None:
    asyncio.run(fill(database, blocks=5))
    with psycopg.connect(plain(database), autocommit=True) as sql:
        kept = "SELECT match_id, luck FROM match_luck ORDER BY match_id"
        before = sql.execute(kept.encode()).fetchall()
        sql.execute("DELETE FROM match_luck")

        async def measure(workers: WorkPool) -> list[bool]:
            async with open_store(database) as store:
                return [done async for done in store.luck.measure_missing(workers)]

        with processes(2) if where == "processes" else cluster(address) as workers:
            assert asyncio.run(measure(workers)) == [True] * 10
        assert sql.execute(kept.encode()).fetchall() == before


@pytest.mark.slow
def test_a_cluster_solves_the_same_to_the_byte(address: str, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    asked = ["solve", "--option", "dice_per_player=2", "--sweeps", "2", "--tables"]
    for words in ([str(here), "--jobs", "1"], [str(there), "--cluster", address]):
        said = arena(*asked, *words)
        assert said.exit_code == 0, said.output
    assert here.read_bytes() == there.read_bytes()


@pytest.mark.system  # starts many programs
@pytest.mark.slow
def test_a_cluster_proves_the_same_and_its_tables_come_here(address: str, tmp_path: Path) -> None:
    states, tables = [], []
    for where in (["--jobs", "1"], ["--cluster", address]):
        folder = tmp_path / where[0]
        state = answer("solve", "--dice", "1,2", "--width", "5e-2", "--to", folder, *where)
        states.append({name: value for name, value in state.items() if name != "seconds"})
        # A line of figures comes first, with the seconds.
        tables.append(
            {file.name: file.read_bytes().split(b"\n", 1)[1] for file in folder.iterdir()}
        )
    assert [*tables[0]] and states[0] == states[1] and tables[0] == tables[1]


def stop_in_the_middle_of_a_part() -> None:
    with processes(2) as workers:
        part = workers.executor.submit(time.sleep, 600)
        while not part.running():
            time.sleep(0.01)
        raise KeyboardInterrupt


def test_ctrl_c_does_not_wait_for_parts_under_way() -> None:
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        stop_in_the_middle_of_a_part()
    assert time.monotonic() - began < 60
