"""Jobs of the queue of shifts, taken as a worker takes them."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.types.json import Jsonb

from arena.builds.hosted import HostingTerms
from arena.server.app.store import Store
from tests.databases import plain


@contextmanager
def job_in_hand(database: str, **job: int) -> Iterator[None]:
    """Take the waiting job as a worker does, a shift of play of a `bot_id` or the check of a
    `version_id`, and finish it at the end of the block. If none waits, do nothing."""
    with psycopg.connect(plain(database), autocommit=True) as connection:
        taken = connection.execute(
            "UPDATE procrastinate.procrastinate_jobs SET status = 'doing' "
            "WHERE status = 'todo' AND args = %s RETURNING id",
            (Jsonb(job),),
        ).fetchall()
        yield
        for one in taken:
            connection.execute(
                "SELECT procrastinate.procrastinate_finish_job_v1(%s, 'succeeded', true)", one
            )


async def accept_build(store: Store, database: str, bot: str) -> None:
    """Accept a bot's newest build without a check."""
    await _decide(store, database, bot, "", accepted=True)


async def refuse_build(store: Store, database: str, bot: str, why: str = "It ended.") -> None:
    """Refuse a bot's newest build without a check."""
    await _decide(store, database, bot, why, accepted=False)


async def _decide(store: Store, database: str, bot: str, why: str, *, accepted: bool) -> None:
    version = max((one for one in await store.bots() if one.bot == bot), key=lambda one: one.id)
    token = await store.workers.add(f"checks-{version.id}", "test")
    worker = await store.workers.by_token(token)
    assert worker is not None
    with job_in_hand(database, version_id=version.id):
        begun = await store.shifts.begin_check(worker, version.id)
        assert begun is not None
        await store.shifts.end(worker, begun.id, why, "", accepted=accepted)


async def shift_token(store: Store, database: str, bot: str) -> str:
    """Begin a shift of a bot whose build plays, and return its token."""
    worker = await store.workers.by_token(await store.workers.add(f"runs-{bot}", "test"))
    assert worker is not None
    with psycopg.connect(plain(database)) as connection:
        found = connection.execute("SELECT id FROM bots WHERE name = %s", (bot,)).fetchone()
    assert found is not None
    with job_in_hand(database, bot_id=found[0]):
        begun = await store.shifts.begin_play(worker, found[0], HostingTerms())
    assert begun is not None
    return begun.token
