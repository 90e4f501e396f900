"""Workers: what they are told, and what they may end."""

from typing import cast

import psycopg
import pytest
from procrastinate.schema import SchemaManager

from arena.builds.hosted import (
    CHECK_QUEUE,
    HostingTerms,
    Worker,
)
from arena.commands.serving.children import Children
from arena.commands.serving.own_worker import start_worker
from arena.records import Owner, VersionId
from arena.server.app.store import Store
from arena.server.uploads.hosted_builds import NO_WORKER
from arena.v1.worker_pb2 import EndFinalBlockRequest
from arena.v1.worker_pb2_grpc import WorkerServiceStub
from tests.scene import opened
from tests.server.uploads.hosting import TERMS, check, finish, take, upload
from tests.service_calls import bearing, refused


async def test_what_was_lost_is_queued_again(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    sql.execute("DELETE FROM procrastinate.procrastinate_jobs")
    await store.shifts.look_after()
    await check(store, worker, sql)
    taken = take(sql)
    assert taken is not None
    begun = await store.shifts.begin_play(worker, taken[1]["bot_id"], TERMS)
    assert begun is not None
    await store.shifts.look_after()  # it runs: nothing to do
    assert take(sql) is None
    finish(sql, taken[2])  # the worker failed, and told nobody
    sql.execute("UPDATE shifts SET expires_at = now() - interval '1 second'")
    await store.shifts.look_after()
    assert await store.authenticate(begun.token) is None
    assert take(sql) is not None
    assert (await store.shift_logs.of(owner, "mine", "1"))[0].outcome == "The worker was lost."


@pytest.mark.parametrize("change", ["add", "remove"])
async def test_shifts_end_with_the_token_of_their_worker(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection, change: str
) -> None:
    await upload(store, owner)
    await check(store, worker, sql)
    taken = take(sql)
    assert taken is not None
    begun = await store.shifts.begin_play(worker, taken[1]["bot_id"], TERMS)
    assert begun is not None
    finish(sql, taken[2])  # it played its last matches
    await store.workers.add("w2", "me")
    assert await store.authenticate(begun.token) is not None
    await getattr(store.workers, change)("w1", "me")
    assert await store.authenticate(begun.token) is None
    last, _ = await store.shift_logs.of(owner, "mine", "")
    assert last.outcome == "The worker was lost."
    await store.shifts.look_after()
    assert take(sql) is not None


def test_the_migration_has_the_schema_of_the_library() -> None:
    """If not: a migration must bring the queue to the new release's schema."""
    from importlib.resources import files

    ours = files("arena.database") / "migrations" / "procrastinate_3_10.sql"
    assert ours.read_text() == SchemaManager.get_schema()


async def test_builds_wait_where_no_worker_runs(store: Store, owner: Owner) -> None:
    await upload(store, owner)
    await store.workers.expect(0)  # one that was expected, and has not come
    (seen,) = await store.builds.of(owner)
    assert seen.reason == NO_WORKER


async def test_a_worker_that_is_being_started_is_waited_for(store: Store, owner: Owner) -> None:
    class Started:
        def start(self, *_: object, **__: object) -> None:
            """It takes long."""

    await start_worker(cast(Children, Started()), store, 1, {})
    await upload(store, owner)
    (seen,) = await store.builds.of(owner)
    assert seen.reason == "no other is before it"


async def test_workers_are_listed_by_name_with_the_shifts_that_they_run(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await store.workers.add("a-second", "me")
    await upload(store, owner)
    taken = take(sql, CHECK_QUEUE)
    assert taken is not None
    await store.shifts.begin_check(worker, VersionId(taken[1]["version_id"]))
    assert [(one.name, one.shifts) for one in await store.workers.seen()] == [
        ("a-second", 0),
        ("w1", 1),
    ]


async def test_a_worker_without_a_job_gets_no_program(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    assert await store.shifts.begin_check(worker, VersionId(1)) is None  # it waits
    await check(store, worker, sql)
    assert await store.shifts.begin_play(worker, 1, TERMS) is None
    taken = take(sql)
    assert taken is not None
    begun = await store.shifts.begin_play(worker, 1, TERMS)
    assert begun is not None
    await store.shifts.end(worker, begun.id, "It played.", "", accepted=None)
    finish(sql, taken[2])
    assert await store.shifts.begin_play(worker, 1, TERMS) is None
    assert [row.check for row in await store.shift_logs.of(owner, "mine", "")] == [False, True]


async def test_a_job_that_a_worker_began_is_no_other_workers(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    other = await store.workers.by_token(await store.workers.add("w2", "me"))
    assert other is not None
    await upload(store, owner)
    taken = take(sql, CHECK_QUEUE)
    assert taken is not None
    begun = await store.shifts.begin_check(worker, VersionId(1))
    assert begun is not None
    assert await store.shifts.begin_check(other, VersionId(1)) is None
    # Lost with its worker, it is put back, and another takes it.
    again = "SELECT procrastinate.procrastinate_retry_job_v1(%s, now(), 1, NULL, NULL)"
    sql.execute(again, taken[2:])
    assert await store.shifts.begin_check(other, VersionId(1)) is None
    assert take(sql, CHECK_QUEUE) is not None
    assert await store.shifts.begin_check(other, VersionId(1)) is not None


async def test_a_worker_that_was_not_answered_begins_anew(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    await check(store, worker, sql)
    assert take(sql) is not None
    lost = await store.shifts.begin_play(worker, 1, TERMS)
    begun = await store.shifts.begin_play(worker, 1, TERMS)
    assert lost is not None and begun is not None
    assert await store.authenticate(lost.token) is None
    assert await store.authenticate(begun.token) is not None
    ended = (await store.shift_logs.of(owner, "mine", ""))[1]
    assert ended.outcome == "The worker began it again."


async def test_a_block_of_a_final_with_more_than_100_matches_is_refused(database: str) -> None:
    async with opened(database, hosting=HostingTerms()) as scene:
        token = await scene.arena.store.workers.add("w", "me")

        async def refusal(matches: int) -> str:
            told = [EndFinalBlockRequest() for _ in range(1 + matches)]
            call = WorkerServiceStub(scene.channel).EndFinalBlock
            return (await refused(call(iter(told), metadata=bearing(token))))[1]

        assert await refusal(101) == "a block of a final has at most 100 matches"
        assert await refusal(100) == await refusal(1)  # which are no matches
