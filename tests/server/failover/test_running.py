"""Running matches in Postgres: kept for the next referee, unseen by others, gone when recorded."""

import asyncio
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import psycopg
import pytest

from arena.database.engine import reading_engine
from arena.database.errors import LeaseTakenError
from arena.database.roles import READER_ROLE
from arena.games.bluff import Bet, Doubt, Face
from arena.match.clock import TimeControl
from arena.match.faults import Fault, FaultKind
from arena.match.flow import Reply, TimedAction
from arena.match.notes import Note, Usage
from arena.match.transcript import Opening
from arena.records import Block, BlockKind, FinishedMatch, Registered, TournamentId, UntoldEnd
from arena.server.app.referees_store import RefereesStore, open_referees_store
from arena.server.app.store import open_store
from arena.server.play.kept_blocks import BegunMatch, NewReplies, Place, RunningBlock, Unkept
from arena.server.results import recording
from tests.recorded_results import NOON, block, finished, match_id
from tests.server.tournaments.test_tournaments import created, opened

REPLIES: tuple[tuple[int, Reply], ...] = (
    (0, TimedAction(Bet(1, Face.STAR), 17)),
    (1, Fault(FaultKind.LATE, 32_000)),
    (1, TimedAction(Doubt(), 2)),
)
KEPT_TABLES = ("running_blocks", "running_matches", "running_replies")


@pytest.fixture
async def bots(database: str) -> list[Registered]:
    async with open_store(database) as store:
        return [(await store.register(f"bot{n}", f"owner{n}"))[0] for n in range(2)]


def running(bots: list[Registered], of: Block, *, engaged: bool = False) -> RunningBlock:
    options = finished((1, 2)).transcript.setup.options  # type: ignore[arg-type]
    places = tuple(Place(bot, "left" if n else "") for n, bot in enumerate(bots))
    return RunningBlock(of, places, "bluff", options, engaged, TimeControl(60_000, 600_000))


def begun(match: FinishedMatch) -> BegunMatch:
    transcript = match.transcript
    opening = Opening(transcript.opening.secret, transcript.opening.entropies)
    return BegunMatch(transcript.setup, opening, match.block.id, match.position, NOON)


def first_of(bots: list[Registered], of: Block) -> FinishedMatch:
    return finished([bot.version_id for bot in bots], of)


def counted(sql: psycopg.Connection) -> list[int]:
    return [
        sql.execute(f"SELECT count(*) FROM {table}".encode()).fetchall()[0][0]
        for table in KEPT_TABLES
    ]


async def test_what_is_kept_in_parts_is_read_as_a_whole(
    referee: RefereesStore, bots: list[Registered]
) -> None:
    of = block(2)
    match, block_row = first_of(bots, of), running(bots, of)
    early, late = Note(0, 1, "é", Usage(1, 2, 3, 4)), Note(1, 3, "later")
    new = NewReplies(match_id(match), "bluff", 0, REPLIES[:2], (early,))
    first = Unkept((block_row,), (begun(match),), (new,))
    await referee.keep(first)
    await referee.keep(first)  # again, as after an answer of the database that was lost
    more = NewReplies(match_id(match), "bluff", 2, REPLIES[2:], (late,))
    await referee.keep(Unkept(replies=(more,)))
    (kept,) = await referee.kept()
    assert kept.running == block_row
    assert kept.recorded == frozenset()
    (left,) = kept.matches
    assert left.begun == begun(match)
    assert [(s, r.milliseconds) for s, r in left.replies] == [(0, 17), (1, 32_000), (1, 2)]
    assert left.replies[0] == REPLIES[0] and left.replies[2] == REPLIES[2]
    assert isinstance(left.replies[1][1], Fault)
    assert left.notes == (early, late)


@pytest.mark.parametrize(
    "newer",
    ["game = 'newer'", """options = '{"of a newer release": true}'"""],
    ids=["game", "option"],
)
async def test_a_block_that_only_a_newer_release_knows_is_left_to_one_as_it_is(
    referee: RefereesStore, bots: list[Registered], sql: psycopg.Connection, newer: str
) -> None:
    strange, known = block(2), block(2)
    for of in (strange, known):
        match = first_of(bots, of)
        new = NewReplies(match_id(match), "bluff", 0, REPLIES)
        await referee.keep(Unkept((running(bots, of),), (begun(match),), (new,)))
    sql.execute(f"UPDATE running_blocks SET {newer} WHERE id = %s".encode(), [strange.id])
    (kept,) = await referee.kept()
    assert kept.running.block == known
    assert counted(sql) == [2, 2, 2]


async def test_a_match_that_is_recorded_leaves_nothing_and_its_block_goes_with_the_last(
    referee: RefereesStore, bots: list[Registered], sql: psycopg.Connection
) -> None:
    of = block(2)
    match = first_of(bots, of)
    second = finished([bot.version_id for bot in reversed(bots)], of, 1)
    new = NewReplies(match_id(match), "bluff", 0, REPLIES)
    await referee.keep(Unkept((running(bots, of),), (begun(match), begun(second)), (new,)))
    assert counted(sql) == [1, 2, 1]
    await referee.record([match], [match_id(match)])
    assert counted(sql) == [1, 1, 0]
    (kept,) = await referee.kept()
    assert (kept.recorded, [one.begun.position for one in kept.matches]) == ({0}, [1])
    await referee.record([second])  # as from a spool, which does not know what is kept
    assert counted(sql) == [1, 1, 0]
    assert await referee.kept() == []  # complete: a crash came before its row was removed
    assert counted(sql) == [0, 0, 0]


@pytest.mark.parametrize("way", ["close", "void", "refuse", "over"])
async def test_however_a_block_ends_nothing_of_it_stays(
    referee: RefereesStore, bots: list[Registered], sql: psycopg.Connection, way: str
) -> None:
    of = block(3)
    match = first_of(bots, of)
    new = NewReplies(match_id(match), "bluff", 0, REPLIES)
    await referee.keep(Unkept((running(bots, of),), (begun(match),), (new,)))
    match way:
        case "close":
            await referee.close_block(of.id)
        case "void":
            await referee.void_block(of.id)
        case "refuse":
            await referee.refuse_block(of)
        case _:
            await referee.keep(Unkept(over=(of.id,)))
    assert counted(sql) == [0, 0, 0]


async def test_the_reader_sees_nothing_of_running_matches(
    database: str, referee: RefereesStore, bots: list[Registered]
) -> None:
    for table in (*KEPT_TABLES, "leases", "presence", "untold_ends", "recorded_batches"):
        with (
            reading_engine(database).connect() as reader,
            pytest.raises(Exception, match="permission denied"),
        ):
            reader.exec_driver_sql(f"SELECT * FROM {table}")
    assert READER_ROLE == "arena_reader"


async def test_what_a_referee_left_running_is_the_next_ones(
    database: str, bots: list[Registered]
) -> None:
    match = first_of(bots, block(2))
    async with open_referees_store(database) as first:
        await first.keep(Unkept((running(bots, match.block),), (begun(match),)))
    async with open_referees_store(database) as second:
        (kept,) = await second.kept()
    assert kept.running.block == match.block
    assert [left.begun for left in kept.matches] == [begun(match)]


async def test_blocks_that_were_cut_off_between_two_matches_are_closed_and_count(
    database: str, bots: list[Registered], sql: psycopg.Connection
) -> None:
    cut_off, goes_on, others = (first_of(bots, block(2)) for _ in range(3))
    async with open_referees_store(database) as killed:
        await killed.record([cut_off])
        of_cup = await opened(killed, await created(killed, [bot.version_id for bot in bots]))
    async with open_referees_store(database) as referee, open_referees_store(database) as other:
        await other.record([others])  # of a referee that runs, and keeps it in its memory alone
        await _cut_off_is_closed(referee, bots, sql, cut_off, goes_on, [others.block, of_cup])


async def _cut_off_is_closed(
    referee: RefereesStore,
    bots: list[Registered],
    sql: psycopg.Connection,
    cut_off: FinishedMatch,
    goes_on: FinishedMatch,
    others: list[Block],
) -> None:
    await referee.keep(Unkept((running(bots, goes_on.block),), (begun(goes_on),)))
    await referee.record([goes_on])
    assert [kept.running.block.id for kept in await referee.kept()] == [goes_on.block.id]
    found = sql.execute("SELECT id::text, voided_at, closed_at IS NULL FROM blocks").fetchall()
    assert set(found) == {
        (cut_off.block.id, None, False),
        *((one.id, None, True) for one in (goes_on.block, *others)),
    }
    assert sql.execute("SELECT match_id::text FROM rating_events").fetchall() == [
        (match_id(cut_off),)
    ]


async def test_an_ended_block_that_a_crash_left_without_a_match_is_forgotten(
    referee: RefereesStore, bots: list[Registered]
) -> None:
    ended, goes_on = (first_of(bots, block()) for _ in range(2))
    await referee.record([ended])
    blocks = tuple(running(bots, one.block) for one in (ended, goes_on))
    await referee.keep(Unkept(blocks, (begun(goes_on),)))
    assert [kept.running.block.id for kept in await referee.kept()] == [goes_on.block.id]


async def test_who_has_lost_its_lease_writes_nothing(
    referee: RefereesStore, bots: list[Registered], sql: psycopg.Connection
) -> None:
    of = block(2)
    match = first_of(bots, of)
    sql.execute("DELETE FROM leases")
    unkept = Unkept((running(bots, of),), (begun(match),))
    for write in (
        lambda: referee.keep(unkept),
        lambda: referee.record([match]),
        lambda: referee.close_block(of.id),
        lambda: referee.void_block(of.id),
        lambda: referee.refuse_block(of),
        lambda: referee.open_blocks([]),
        lambda: referee.kept(),
        lambda: referee.untold_ends(),
        lambda: referee.add_untold([UntoldEnd(match_id(match), bots[0].version_id, "")]),
        lambda: referee.remove_untold([]),
        lambda: referee.tournaments.finish(TournamentId(1)),
        lambda: referee.tournaments.suspend(TournamentId(1)),
        lambda: referee.tournaments.add_pairings(TournamentId(1), []),
    ):
        with pytest.raises(LeaseTakenError, match="Another referee has taken over"):
            await write()
    assert counted(sql) == [0, 0, 0]
    assert sql.execute("SELECT count(*) FROM matches").fetchall() == [(0,)]
    assert sql.execute("SELECT count(*) FROM blocks").fetchall() == [(0,)]


async def test_ends_that_were_missed_are_kept_until_they_are_told(
    referee: RefereesStore, bots: list[Registered], sql: psycopg.Connection
) -> None:
    matches = [first_of(bots, Block(str(uuid4()), BlockKind.SEAT, 1)) for _ in range(3)]
    await referee.record(matches)
    ends = [UntoldEnd(match_id(one), bots[0].version_id, "left") for one in matches]
    await referee.add_untold(ends)
    await referee.add_untold([replace(ends[0], instance="right")])
    assert await referee.untold_ends() == ends
    await referee.remove_untold(ends[1:])
    assert await referee.untold_ends() == ends[:1]
    sql.execute("UPDATE untold_ends SET since = since - interval '25 hours'")
    assert await referee.untold_ends() == []


_IDENTITY = (
    "from arena.database.process_identity import own_identity; print(own_identity(), end='')"
)


async def test_ends_recorded_just_before_a_crash_are_kept_for_the_copies_that_played(
    database: str, bots: list[Registered], sql: psycopg.Connection
) -> None:
    names = [("", "right"), ("left", ""), ()]
    old, *lately = [replace(first_of(bots, block()), instances=by_seat) for by_seat in names]
    # It was played long before the others, as when the database was away.
    early = replace(
        lately[0],
        started_at=NOON - timedelta(hours=1),
        finished_at=NOON - timedelta(hours=1),
    )
    async with open_referees_store(database) as first:
        await first.record([old])
        sql.execute("UPDATE recorded_batches SET recorded_at = recorded_at - interval '4 seconds'")
        await first.record([early, lately[1]])
    dead = await asyncio.to_thread(subprocess.check_output, [sys.executable, "-c", _IDENTITY])
    sql.execute("UPDATE leases SET released_at = NULL, process = %s", [dead.decode()])
    async with open_referees_store(database) as second:
        ends = await second.untold_ends()
    one, other = (bot.version_id for bot in bots)
    assert {(end.match_id, end.version_id, end.instance) for end in ends} == {
        (match_id(early), one, "left"),
        (match_id(early), other, ""),
        (match_id(lately[1]), one, ""),
        (match_id(lately[1]), other, ""),
    }
    assert sql.execute("SELECT count(*) FROM recorded_batches").fetchall() == [(0,)]


async def test_only_so_many_recorded_batches_are_remembered(
    referee: RefereesStore, bots: list[Registered], sql: psycopg.Connection
) -> None:
    for _ in range(2):
        await referee.record([first_of(bots, block())])
        sql.execute("SELECT setval('recorded_batches_number_seq', %s)", [recording.MOST_BATCHES])
    assert sql.execute("SELECT count(*) FROM recorded_batches").fetchall() == [(1,)]


async def test_replies_of_matches_that_are_not_kept_are_gone_after_the_next_start(
    database: str, referee: RefereesStore, bots: list[Registered], sql: psycopg.Connection
) -> None:
    match = first_of(bots, block(2))
    replies = [NewReplies(match_id(match), "bluff", 0, REPLIES)]
    replies.append(NewReplies(str(uuid4()), "bluff", 0, REPLIES))
    blocks = (running(bots, match.block),)
    await referee.keep(Unkept(blocks, (begun(match),), tuple(replies)))
    assert counted(sql) == [1, 1, 2]
    (kept,) = await referee.kept()
    assert [one.replies for one in kept.matches] == [REPLIES]
    assert counted(sql) == [1, 1, 1]
