"""Checkpoints save reading the log, and never decide a number."""

import asyncio
import json
from itertools import combinations
from random import Random

import numpy as np
import psycopg
import pytest
from sqlalchemy import create_engine
from structlog.testing import capture_logs

from arena.database.reading import Reader
from arena.rating.ladder_id import LadderId
from arena.records import VersionId
from arena.server.app.store import Store
from arena.server.boards import ladder_statements
from arena.server.boards.board import Board
from arena.server.boards.checking import check_board
from arena.server.boards.checkpoint import edition, pack, unpack
from arena.server.boards.checkpoint_keeper import ENOUGH_EVENTS, CheckpointKeeper
from arena.server.boards.checkpointing import current, played_ladders, write, write_checkpoints
from arena.server.boards.ladder_log import read_checkpoint
from arena.server.boards.live_board import LiveBoard
from tests.bots import PATIENCE
from tests.commands.running import beside
from tests.recorded_results import block, finished
from tests.server.results.test_luck import played_matches

Versions = tuple[VersionId, ...]

TWO = LadderId.of("bluff", {}, (2,))
LARGER = LadderId.of("bluff", {}, (3, 4))


async def played(store: Store, versions: Versions, blocks: int, seed: int = 1) -> None:
    """Blocks of two and of three seats; those of two have luck."""
    random = Random(seed)
    for _ in range(blocks):
        pair = block(2)
        seated = random.sample(versions, 2)
        await store.record([finished((seated[at], seated[1 - at]), pair, at) for at in (0, 1)])
        await store.record([finished(random.sample(versions, 3), minute=random.randrange(99))])
    await store.record(played_matches(versions, 45))


def reread(read: Reader, ladder: LadderId) -> list[tuple[object, ...]]:
    return [
        (line.version_id, line.matches, round(line.elo, 9))
        for line in LiveBoard(ladder, read).now().lines
    ]


def luck_adjusted(read: Reader) -> list[tuple[float, ...]]:
    """Elo and interval of each line, none of one that has no luck-adjusted Elo."""
    found = (line.luck_adjusted for line in LiveBoard(TWO, read).now().lines)
    return [
        () if one is None else tuple(round(value, 6) for value in (one.elo, *one.interval))
        for one in found
    ]


def at(read: Reader, ladder: LadderId = TWO) -> int | None:
    (end,) = read(ladder_statements.log_end())
    found = read_checkpoint(read, ladder, end.revision)
    return None if found is None else found[1]


def data(sql: psycopg.Connection, ladder: LadderId) -> bytes:
    sizes = list(ladder.seats)
    row = sql.execute("SELECT data FROM board_checkpoints WHERE seats = %s", [sizes]).fetchone()
    assert row is not None
    return bytes(row[0])


async def test_a_board_goes_on_from_its_checkpoint(
    read: Reader, store: Store, versions: Versions, database: str
) -> None:
    assert write_checkpoints(database) == []
    await played(store, versions, 12)
    before = [reread(read, ladder) for ladder in (TWO, LARGER)]
    assert set(write_checkpoints(database)) == set(played_ladders(read)) == {TWO, LARGER}
    assert [reread(read, ladder) for ladder in (TWO, LARGER)] == before
    (end,) = read(ladder_statements.log_end())
    assert at(read) == at(read, LARGER) == end.sequence
    await played(store, versions, 5, seed=2)
    for ladder in (TWO, LARGER):
        check = check_board(read, ladder)
        assert check.correct, check
        assert check.checkpoint == end.sequence
        assert check.matches == LiveBoard(ladder, read).now().matches > 5


async def test_only_what_is_far_behind_and_has_new_results_is_written_again(
    read: Reader, store: Store, versions: Versions, database: str, sql: psycopg.Connection
) -> None:
    await played(store, versions, 2)
    assert len(write_checkpoints(database, fewest=1000)) == 2  # there was none
    assert write_checkpoints(database, fewest=1000) == []
    await store.record([finished(versions[:2])])
    assert write_checkpoints(database, fewest=2) == []
    before = {ladder: data(sql, ladder) for ladder in (TWO, LARGER)}
    assert write_checkpoints(database, fewest=1) == [TWO]
    # A quiet ladder is not written, and its readers begin at the end of the log all the same.
    assert data(sql, TWO) != before[TWO] and data(sql, LARGER) == before[LARGER]
    (end,) = read(ladder_statements.log_end())
    assert at(read, TWO) == at(read, LARGER) == end.sequence
    assert all(check_board(read, ladder).correct for ladder in (TWO, LARGER))


async def test_a_ladder_whose_matches_do_not_count_is_not_searched_for_again(
    read: Reader, store: Store, versions: Versions, database: str, sql: psycopg.Connection
) -> None:
    await store.record([finished(versions[:2])])
    # As with the first match of a tournament that is not rated.
    sql.execute("INSERT INTO played_ladders VALUES ('bluff', '{}', 3, 2000, 30000)")
    assert set(write_checkpoints(database)) == {TWO, LARGER}
    (end,) = read(ladder_statements.log_end())
    assert at(read, LARGER) == end.sequence
    assert LiveBoard(LARGER, read).now().lines == ()
    await store.record([finished(versions)])
    check = check_board(read, LARGER)
    assert check.correct and check.matches == LiveBoard(LARGER, read).now().matches == 1


async def test_an_older_checkpoint_does_not_replace_a_newer_one(
    read: Reader, store: Store, versions: Versions, database: str
) -> None:
    await played(store, versions, 3)
    before = current(read, TWO)
    await played(store, versions, 3, seed=2)
    write_checkpoints(database)
    newest = at(read)
    engine = create_engine(database)
    with engine.connect() as connection:
        write(connection, TWO, before)
    engine.dispose()
    assert newest is not None and at(read) == newest > before.sequence


async def test_what_was_read_before_the_log_changed_is_not_written(
    read: Reader, store: Store, versions: Versions, database: str
) -> None:
    pair = block(1)
    await played(store, versions, 3)
    await store.record([finished(versions[:2], pair)])
    stale = current(read, TWO)
    await store.owners.void_block(pair.id, "operator", "")
    engine = create_engine(database)
    with engine.connect() as connection:
        write(connection, TWO, stale)
    engine.dispose()
    assert at(read) is None
    assert check_board(read, TWO).correct


@pytest.mark.slow
async def test_a_voided_block_and_deleted_luck_make_checkpoints_void(
    read: Reader, store: Store, versions: Versions, database: str, sql: psycopg.Connection
) -> None:
    pair = block(1)
    await store.record([finished(versions[:2], pair)])
    await played(store, versions, 3)
    write_checkpoints(database)
    matches = LiveBoard(TWO, read).now().matches
    await store.owners.void_block(pair.id, "operator", "")
    assert at(read) is None
    assert LiveBoard(TWO, read).now().matches == matches - 1
    write_checkpoints(database)
    assert at(read) is not None
    adjusted = luck_adjusted(read)
    assert any(adjusted)
    sql.execute("DELETE FROM match_luck")
    assert at(read) is None
    assert not any(luck_adjusted(read))
    write_checkpoints(database)
    _ = [one async for one in store.luck.measure_missing()]
    assert at(read) is None
    assert luck_adjusted(read) == adjusted


async def test_checkpoints_of_another_format_or_damaged_ones_are_left_alone(
    read: Reader, store: Store, versions: Versions, database: str, sql: psycopg.Connection
) -> None:
    await played(store, versions, 3)
    write_checkpoints(database)
    shown = reread(read, TWO)
    sql.execute("UPDATE board_checkpoints SET edition = '999 later'")
    assert at(read) is None
    assert reread(read, TWO) == shown
    write_checkpoints(database)
    kept = sql.execute("SELECT count(DISTINCT edition), count(*) FROM board_checkpoints").fetchone()
    assert kept == (2, 4)
    for damage in ("substr(data, 1, 100)", "'\\x00'::bytea", "''::bytea"):
        sql.execute(
            f"UPDATE board_checkpoints SET data = {damage} WHERE edition = %s", [edition("bluff")]
        )
        assert at(read) is None
        assert reread(read, TWO) == shown


async def test_a_block_that_enters_the_log_in_two_parts_is_one_cluster_all_the_same(
    read: Reader, store: Store, versions: Versions, database: str
) -> None:
    await played(store, versions, 3)
    pair = block(2)
    await store.record([finished(versions[:2], pair, 0)])
    await store.close_block(pair.id)
    write_checkpoints(database)
    now = 0.0
    board = LiveBoard(TWO, read, lambda: now)
    board.now()
    # The referee records nothing of a closed block; somebody else might.
    await store.record([finished(versions[1::-1], pair, 1)])
    now += 1000.0
    assert reread(read, TWO) == [
        (line.version_id, line.matches, round(line.elo, 9)) for line in board.now().lines
    ]
    write_checkpoints(database)
    assert check_board(read, TWO).correct


@pytest.mark.slow
async def test_check_boards_finds_a_checkpoint_that_is_wrong(
    read: Reader,
    store: Store,
    versions: Versions,
    database: str,
    sql: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    await played(store, versions, 4)
    right = await beside("check-boards", "--write", "--json")
    assert right.exit_code == 0, right.output
    boards = json.loads(right.stdout)["boards"]
    assert [one["table_sizes"] for one in boards] == [[2], [3, 4]]
    assert all(one["correct"] and one["checkpoint"] for one in boards)
    shared = await beside("check-boards", "--json", "--jobs", 2)
    assert shared.stdout == right.stdout
    # As if the last results had been read twice.
    sql.execute("UPDATE board_checkpoints SET sequence = sequence - 3 WHERE seats = '{3,4}'")
    found = current(read, LARGER)
    sql.execute(
        "UPDATE board_checkpoints SET data = %s WHERE seats = '{2}'",
        [found.data],
    )
    wrong = await beside("check-boards")
    assert wrong.exit_code == 1
    assert "WRONG" in wrong.output and "correct" in wrong.output


async def test_check_boards_compares_who_is_provisional(
    read: Reader, store: Store, versions: Versions, database: str, sql: psycopg.Connection
) -> None:
    pairs = [pair for pair in combinations(versions, 2) for _ in range(10)]
    await store.record([finished(pair, minute=minute) for minute, pair in enumerate(pairs)])
    write_checkpoints(database)
    assert check_board(read, TWO).correct
    # Half a cluster less of a pair: as many by bot when rounded, but fewer than 20 link the two.
    arrays = unpack(TWO.game, TWO.score, data(sql, TWO)).arrays()
    arrays["pair_clusters"] = arrays["pair_clusters"] - np.array([0.4, 0, 0])
    wrong = Board.of_arrays(TWO.game, TWO.score, arrays)
    sql.execute("UPDATE board_checkpoints SET data = %s WHERE seats = '{2}'", [pack(wrong)])
    assert LiveBoard(TWO, read).now().lines[0].provisional
    check = check_board(read, TWO)
    assert check.counts == 1 and not check.correct


@pytest.mark.slow
async def test_a_referee_has_checkpoints_written(
    read: Reader, store: Store, versions: Versions, database: str, sql: psycopg.Connection
) -> None:
    await played(store, versions, 3)
    sql.execute(
        "SELECT setval(pg_get_serial_sequence('rating_events', 'sequence'), %s)", [ENOUGH_EVENTS]
    )
    await store.record([finished(versions[:2])])
    # What fails is tried again.
    sql.execute("ALTER TABLE board_checkpoints RENAME TO elsewhere")
    keeper = asyncio.create_task(CheckpointKeeper(database, read, look_seconds=0.05).run())
    async with asyncio.timeout(3 * PATIENCE):
        with capture_logs() as log:
            while not log:  # noqa: ASYNC110  the same
                await asyncio.sleep(0.1)
        sql.execute("ALTER TABLE elsewhere RENAME TO board_checkpoints")
        while at(read) is None:  # noqa: ASYNC110  another process writes it
            await asyncio.sleep(0.1)
    keeper.cancel()
    assert check_board(read, TWO).correct
