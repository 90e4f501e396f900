"""Builds that are uploaded and checked, and the jobs of the workers that host them."""

import psycopg

from arena.builds import Build, read_build
from arena.builds.hosted import (
    CHECK_QUEUE,
    QUEUE,
    HostingTerms,
    Worker,
)
from arena.records import Allowance, Owner, VersionId
from arena.server.app.store import Store

ALLOWED = Allowance(50, 50, 50)
TERMS = HostingTerms()


def build(number: int = 1) -> Build:
    return read_build("mine.py", f"NUMBER = {number}\n".encode())


async def upload(
    store: Store, owner: Owner, number: int = 1, bot: str = "mine", terms: HostingTerms = TERMS
) -> str:
    entrant = await store.builds.upload(owner, bot, "", build(number), terms, ALLOWED)
    return entrant.version


def take(sql: psycopg.Connection, queue: str = QUEUE) -> tuple[str, dict[str, int], int] | None:
    """The next job of a queue, as a worker of procrastinate takes it."""
    row = sql.execute(
        "SELECT task_name, args, id FROM procrastinate.procrastinate_fetch_job_v2(%s, NULL)",
        ([queue],),
    ).fetchone()
    return None if row is None or row[2] is None else (row[0], row[1], row[2])


def finish(sql: psycopg.Connection, job: int) -> None:
    sql.execute("SELECT procrastinate.procrastinate_finish_job_v1(%s, 'succeeded', true)", (job,))


async def check(
    store: Store, worker: Worker, sql: psycopg.Connection, *, accepted: bool | None = True
) -> VersionId:
    """Take the check that waits, and decide."""
    taken = take(sql, CHECK_QUEUE)
    assert taken is not None and taken[0] == "check"
    begun = await store.shifts.begin_check(worker, VersionId(taken[1]["version_id"]))
    assert begun is not None and begun.token == ""
    await store.shifts.end(worker, begun.id, "It sleeps.", "printed", accepted=accepted)
    finish(sql, taken[2])
    return VersionId(taken[1]["version_id"])
