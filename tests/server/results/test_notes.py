"""Notes in the database: recorded once, beside results, within a limit, as long as transcripts."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from arena.database.async_engine import async_engine
from arena.database.transaction import driver_of, transaction
from arena.database.transcripts import packer
from arena.match.notes import Note, Usage
from arena.records import FinishedMatch, VersionId
from arena.server.app.store import Store
from arena.server.results import notes
from tests.database_locks import waiting
from tests.recorded_results import finished, match_id

SAID = (
    Note(0, 1, "Ünlikely.", Usage(100, 10, 5, 900)),
    Note(1, 2, "I bluff."),
    Note(0, 3, "", Usage(200, 20, 10, 1_100)),
)


def noted(versions: Sequence[VersionId], said: Sequence[Note] = SAID) -> FinishedMatch:
    return replace(finished(versions), notes=tuple(said))


async def owner_of(store: Store, version: VersionId) -> int:
    (row,) = [one for one in await store.bots() if one.id == version]
    owners = {one.name: one.id for one in await store.owners.owners(100)}
    return owners[row.owner]


async def test_notes_are_recorded_once_and_read_by_their_owner(
    store: Store, versions: tuple[VersionId, ...], sql: psycopg.Connection
) -> None:
    match = noted(versions)
    await store.record([match])
    await store.record([match])
    first, second = [await owner_of(store, version) for version in versions[:2]]
    assert await store.notes.of_match(match_id(match), first) == [SAID[0], SAID[2]]
    assert await store.notes.of_match(match_id(match), second) == [SAID[1]]
    assert await store.notes.of_match(match_id(match), None) == []
    sums = "SELECT seat, measured, input_tokens, output_tokens, cost_microusd, latency_ms"
    assert sql.execute(f"{sums} FROM match_notes ORDER BY seat").fetchall() == [
        (0, 2, 300, 30, 15, 2_000),
        (1, 0, 0, 0, 0, 0),
    ]


async def test_a_transcript_is_stored_without_its_notes(
    store: Store, versions: tuple[VersionId, ...], sql: psycopg.Connection
) -> None:
    plain = finished(versions)
    await store.record([replace(plain, notes=SAID)])
    ((sha256, data),) = sql.execute("SELECT sha256, data FROM transcripts").fetchall()
    packed = packer()(plain.written)
    assert (sha256, data) == (packed.sha256, packed.data)


@pytest.fixture
def engine(database: str) -> AsyncEngine:
    return async_engine(database)


async def test_the_oldest_notes_of_a_bot_make_room_and_their_sums_stay(
    store: Store,
    versions: tuple[VersionId, ...],
    sql: psycopg.Connection,
    engine: AsyncEngine,
) -> None:
    matches = [noted(versions) for _ in range(4)]
    await store.record([replace(match, notes=()) for match in matches])
    size = len(notes.note_columns(matches[:1])[-1][0])
    for match in matches:
        async with transaction(engine) as connection:
            columns = notes.note_columns([match])
            await notes.write(await driver_of(connection), columns, most=2 * size)
    first = await owner_of(store, versions[0])
    found = [await store.notes.of_match(match_id(match), first) for match in matches]
    assert [bool(one) for one in found] == [False, False, True, True]
    counted = "SELECT sum(octet_length(data)) FROM match_notes GROUP BY bot_id ORDER BY bot_id"
    held = sql.execute("SELECT bytes FROM bot_notes ORDER BY bot_id").fetchall()
    assert held == sql.execute(counted).fetchall()
    assert held[0] == (2 * size,)
    assert sql.execute("SELECT sum(input_tokens) FROM match_notes").fetchall() == [(4 * 300,)]
    await engine.dispose()


async def test_notes_go_with_the_transcripts_that_are_no_longer_kept(
    store: Store, versions: tuple[VersionId, ...], sql: psycopg.Connection
) -> None:
    ended = datetime.now(UTC) - timedelta(100)
    old = replace(noted(versions), started_at=ended, finished_at=ended)
    young = replace(noted(versions), started_at=datetime.now(UTC), finished_at=datetime.now(UTC))
    await store.record([old, young])
    before = sql.execute("SELECT sum(bytes) FROM bot_notes").fetchone()
    await store.policies.change({"transcript_days": 90}, "operator")
    assert (await store.retention.run()).matches == 1
    assert sql.execute("SELECT DISTINCT match_id::text FROM match_notes").fetchall() == [
        (match_id(young),)
    ]
    after = sql.execute("SELECT sum(bytes) FROM bot_notes").fetchone()
    assert before is not None and after is not None and before[0] == 2 * after[0]


async def test_removing_old_notes_waits_for_recording_before_it_locks_any(
    store: Store, versions: tuple[VersionId, ...], sql: psycopg.Connection, engine: AsyncEngine
) -> None:
    ended = datetime.now(UTC) - timedelta(100)
    await store.record([replace(noted(versions), started_at=ended, finished_at=ended)])
    await store.policies.change({"transcript_days": 90}, "operator")
    async with transaction(engine) as connection:
        recording = await driver_of(connection)
        await recording.execute("UPDATE bot_notes SET bytes = bytes + 1")
        removing = asyncio.ensure_future(store.retention.run())
        await waiting(sql, 1)
        await recording.execute("UPDATE match_notes SET data = NULL")  # to make room
    assert (await removing).matches == 1
    assert sql.execute("SELECT FROM match_notes").fetchall() == []
    await engine.dispose()
