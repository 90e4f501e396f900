"""Private events: the database hides everything of them from all but their members."""

from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import text

from arena.codec.transcript import from_bytes
from arena.database.errors import NotFoundError, RequestRefusedError, WrongStateError
from arena.database.reading import open_reader
from arena.database.viewing import seen_by
from arena.server.app.store import Store
from arena.server.events.event import Admission, Event, Phase
from arena.server.events.event_statements import event_list
from arena.server.events.finals import archives
from arena.server.events.finals.archive import zipped
from arena.server.events.finals.archive_check import check
from arena.server.events.grades import read_rubric
from tests import recorded_matches
from tests.jobs import accept_build
from tests.server.events.cups import (
    done,
    enrolled,
    entrant,
    frozen,
    let_pass,
    played_out,
    queued,
    said,
    signed_up,
    uploaded,
)
from tests.server.events.test_ladders import LADDER, play

Sql = psycopg.Connection[Any]
TABLES = (
    "events",
    "event_entries",
    "event_builds",
    "event_ladders",
    "event_players",
    "event_ladder_blocks",
    "event_ladder_transcripts",
    "event_pairings",
    "event_blocks",
    "event_archives",
    "notices WHERE event_id IS NOT NULL",
)


async def private(store: Store, database: str, **how: Any) -> Event:
    event, _ = await store.events.create("cup", said(ladder=LADDER, private=True, **how), "me")
    for name in ("ann", "bob", "eve"):
        await entrant(store, database, "cup", name)
    await store.ladders.keep()
    await store.event_notices.keep()
    return event


async def released(store: Store, database: str, sql: Sql) -> Event:
    event = await private(store, database)
    for block in queued(sql)[:2]:
        await play(store, block)
    done(sql)
    await frozen(store, sql, event)
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)
    event = await played_out(store, sql, event)
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)
    await store.event_notices.keep()
    return (await store.events.named("cup"))[0]


@pytest.mark.slow
async def test_the_reader_role_sees_nothing_of_a_private_event_but_for_its_members(
    store: Store, database: str, sql: Sql
) -> None:
    event = await released(store, database, sql)
    assert event.phase(event.terms.dates.results) is Phase.RELEASED
    member = await store.owners.named("ann")
    stranger = await signed_up(store, "mallory")
    with open_reader(database) as read:
        for table in TABLES:
            assert sql.execute(f"SELECT FROM {table}").fetchall(), table
            everything = text(f"SELECT 1 FROM {table}").columns()
            with read._engine.connect() as connection:
                assert connection.execute(everything).all() == [], table
                for owner, sees in ((stranger, False), (member, True)):
                    setting = text("SELECT set_config('arena.viewer', :id, true)")
                    connection.execute(setting.bindparams(id=str(owner.id)))
                    assert bool(connection.execute(everything).all()) is sees, (table, owner.name)
                connection.rollback()
                assert connection.execute(everything).all() == [], table
        assert [row.name for row in read(seen_by(member.id, event_list()))] == ["cup"]
        assert read(seen_by(stranger.id, event_list())) == read(event_list()) == []


def test_what_the_reader_role_reads_of_an_event_follows_a_policy(sql: Sql) -> None:
    readable = sql.execute(
        "SELECT relname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid"
        " WHERE attname = 'event_id' AND relkind = 'r' AND NOT relrowsecurity"
        " AND has_any_column_privilege('arena_reader', pg_class.oid, 'SELECT')"
    ).fetchall()
    assert readable == []


def test_why_a_block_of_a_ladder_was_not_played_is_hidden_from_the_reader_role(sql: Sql) -> None:
    hidden = sql.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = 'event_ladder_blocks'::regclass"
        " AND attnum > 0"
        " AND NOT has_column_privilege('arena_reader', attrelid, attnum, 'SELECT')"
    ).fetchall()
    assert hidden == [("failure",)]


async def test_its_final_is_never_in_the_public_tables(
    store: Store, database: str, sql: Sql
) -> None:
    event = await released(store, database, sql)
    assert event.seed is not None
    assert event.tournament is None
    assert await recorded_matches.matches(store, limit=10) == []
    assert (await store.tournaments.newest(10))[0] == []
    member = await store.owners.named("ann")
    (row,) = sql.execute("SELECT match_ids FROM event_blocks LIMIT 1").fetchall()
    match_id = str(row[0][0])
    kept = await store.event_views.transcript(member.id, event, match_id)
    assert kept is not None
    assert kept.setup.match_id == match_id
    assert await store.event_views.transcript(None, event, match_id) is None


async def test_its_final_is_blind_for_members_too(store: Store, database: str, sql: Sql) -> None:
    event = await private(store, database)
    done(sql)
    await frozen(store, sql, event)
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)
    await played_out(store, sql, event)
    member = await store.owners.named("ann")
    with open_reader(database) as read, read._engine.connect() as connection:
        setting = text("SELECT set_config('arena.viewer', :id, false)")
        connection.execute(setting.bindparams(id=str(member.id)))
        for table in ("event_pairings", "event_blocks"):
            assert sql.execute(f"SELECT FROM {table}").fetchall()
            assert connection.execute(text(f"SELECT 1 FROM {table}")).all() == []


async def test_what_is_asked_for_as_an_owner_is_found_by_members_alone(
    store: Store, database: str, sql: Sql
) -> None:
    event = await private(store, database)
    await play(store, queued(sql)[0])
    member, stranger = await store.owners.named("ann"), await signed_up(store, "mallory")
    views = store.event_views
    (match, _) = await views.matches(member.id, event)
    assert await views.ladder(member.id, event)
    assert await views.transcript(member.id, event, match.match_id)
    for viewer in (None, stranger.id):
        assert (await views.newest(viewer))[0] == []
        assert await views.matches(viewer, event) == []
        assert await views.ladder(viewer, event) == []
        assert await views.transcript(viewer, event, match.match_id) is None
        with pytest.raises(NotFoundError):
            await views.named(viewer, "cup")


async def test_people_of_its_roster_are_members_before_they_enter(
    store: Store, database: str
) -> None:
    event, _ = await store.events.create(
        "cup", said(private=True, ladder=LADDER, entry=Admission.ROSTER), "me"
    )
    owner = await signed_up(store, "ann")
    assert (await store.event_views.newest(owner.id))[0] == []
    with psycopg.connect(database.replace("+psycopg", ""), autocommit=True) as sql:
        sql.execute(
            "INSERT INTO event_people (event_id, number, owner_id, name) VALUES (%s, 1, %s, 'Ann')",
            (event.id, owner.id),
        )
    assert (await store.event_views.newest(owner.id))[0] != []
    with pytest.raises(WrongStateError, match="You have entered no bot in cup"):
        await store.events.leave(owner, "cup")


async def test_its_bots_play_nowhere_else_and_are_paused_when_it_is_over(
    store: Store, database: str, sql: Sql
) -> None:
    event = await private(store, database)
    await store.shifts.look_after()
    shifts = "SELECT FROM procrastinate.procrastinate_jobs WHERE task_name = 'play'"
    sql.execute("DELETE FROM procrastinate.procrastinate_jobs WHERE task_name = 'play'")
    await store.shifts.look_after()
    assert sql.execute(shifts).fetchall() == []
    other = await signed_up(store, "mallory")
    await uploaded(store, other, "another")
    await accept_build(store, database, "another")
    await store.shifts.look_after()
    assert len(sql.execute(shifts).fetchall()) == 1
    await store.events.cancel(event.name, "me", "")
    paused = sql.execute("SELECT name FROM bots WHERE paused_at IS NOT NULL ORDER BY 1").fetchall()
    assert paused == [("bot-ann",), ("bot-bob",), ("bot-eve",)]


@pytest.mark.slow
async def test_grades_of_a_private_event_count_its_ladder_and_its_final(
    store: Store, database: str, sql: Sql
) -> None:
    event = await private(store, database)
    for block in queued(sql):
        await play(store, block)
    done(sql)
    await frozen(store, sql, event)
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)
    await played_out(store, sql, event)
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)
    event, _ = await store.events.named("cup")
    rubric = read_rubric("[rungs]\nrandom = 10\nhonest = 10\n[place]\nmost = 10\n")
    graded, _ = await store.grading.grades(event, rubric)
    told = [one.grade.explained for one in graded]
    assert all("place " in one for one in told)
    assert any("random" in one and " matches)" in one for one in told)
    with pytest.raises(RequestRefusedError, match="timid does not play on the ladder of cup"):
        await store.grading.grades(event, read_rubric("[rungs]\ntimid = 1\n"))


async def test_the_archive_of_a_private_final_can_be_recomputed(
    store: Store, database: str, sql: Sql, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = await released(store, database, sql)
    signed = await store.archives.signed(event)
    assert signed is not None
    file = tmp_path / "cup.zip"
    written = await store.archives.transcripts(event, 0)
    file.write_bytes(b"".join(zipped(signed, map(from_bytes, written))))
    assert await store.archives.transcripts(event, 5) == written[5:]
    assert await store.archives.transcripts(event, len(written)) == []
    monkeypatch.setattr(archives, "MOST_BYTES", 1)
    assert await store.archives.transcripts(event, 5) == written[5:6]
    found = check(file)
    assert found.matches == 12


async def test_a_bot_that_another_event_needs_is_not_paused(
    store: Store, database: str, sql: Sql
) -> None:
    await private(store, database)
    await store.events.create("mug", said(ladder=LADDER), "me")
    await store.events.enter(await store.owners.named("ann"), "mug", "bot-ann")
    await store.events.cancel("cup", "me", "")
    paused = sql.execute("SELECT name FROM bots WHERE paused_at IS NOT NULL ORDER BY 1").fetchall()
    assert paused == [("bot-bob",), ("bot-eve",)]


async def test_a_roster_of_a_private_event_names_teams(store: Store) -> None:
    event, _ = await store.events.create(
        "secret-exam", said(private=True, ladder=LADDER, entry=Admission.ROSTER), "me"
    )
    with pytest.raises(RequestRefusedError, match="Person 1 of the roster has no team"):
        await enrolled(store, event, "name\nAnn Real\n")
