"""Hosted bots with a pace: after a shift in which one played ahead of it, its next one waits."""

from dataclasses import replace
from datetime import UTC, datetime

import psycopg
import pytest

from arena.builds.hosted import Worker
from arena.records import Owner
from arena.server.app.store import Store
from arena.server.uploads.hosted_shifts import MOST_DELAY
from tests.recorded_results import finished
from tests.server.uploads.hosting import TERMS, check, finish, take, upload


async def wait_after(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection, pace: int | None
) -> float:
    """Seconds for which a bot's next shift waits after one of ten matches."""
    other, _ = await store.register("other", "Bob")
    await upload(store, owner)
    version = await check(store, worker, sql)
    await store.owners.wish_pace(owner, "mine", pace)
    taken = take(sql)
    assert taken is not None
    begun = await store.shifts.begin_play(worker, taken[1]["bot_id"], TERMS)
    assert begun is not None
    seated = [version, other.version_id]
    ends = datetime.now(UTC)
    await store.record(
        [replace(finished(seated), started_at=ends, finished_at=ends) for _ in range(10)]
    )
    finish(sql, taken[2])
    await store.shifts.end(worker, begun.id, "It played.", "", accepted=None)
    row = sql.execute(
        "SELECT extract(epoch FROM coalesce(scheduled_at - now(), '0'))"
        " FROM procrastinate.procrastinate_jobs WHERE status = 'todo' AND queue_name = 'shifts'"
    ).fetchone()
    assert row is not None
    return float(row[0])


@pytest.mark.parametrize(
    ("pace", "seconds"),
    [(None, 0), (36_000, 1), (120, 300), (1, MOST_DELAY.total_seconds())],
)
async def test_the_next_shift_begins_when_the_pace_allows_as_many_matches_again(
    store: Store,
    owner: Owner,
    worker: Worker,
    sql: psycopg.Connection,
    pace: int | None,
    seconds: float,
) -> None:
    assert abs(await wait_after(store, owner, worker, sql, pace) - seconds) < 5


async def test_the_matches_of_a_shift_are_those_that_its_version_began_in_it(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await wait_after(store, owner, worker, sql, None)
    (own,) = sql.execute("SELECT array_agg(DISTINCT match_id::text) FROM match_seats").fetchall()[0]
    away = [(await store.register(name, "Eve"))[0].version_id for name in ("one", "two")]
    shift, *_ = await store.shift_logs.of(owner, "mine", "")
    began = shift.began_at
    await store.record([replace(finished(away), started_at=began, finished_at=began)])
    assert len(own) == 10
    shift, *_ = await store.shift_logs.of(owner, "mine", "")
    assert sorted(shift.match_ids) == sorted(own)


async def test_a_tournament_that_waits_for_a_bot_waits_for_no_pace(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    assert await wait_after(store, owner, worker, sql, 1) > 500
    assert take(sql) is None
    (bot,) = await store.bots(["mine"])
    await store.tournament_bots.gather([bot.id], [])
    assert take(sql) is not None
