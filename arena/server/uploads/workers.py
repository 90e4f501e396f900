"""`Workers`: the workers that the operator added, and their tokens, one transaction per method."""

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.builds.hosted import Worker, WorkerId, WorkerSeen
from arena.database import shift_queue
from arena.database.errors import NotFoundError
from arena.database.keys import new_worker_token, token_hash
from arena.database.names import check_name
from arena.database.tables.uploads import shifts, workers
from arena.database.transaction import fetched, transaction
from arena.server.accounts import bot_statements
from arena.server.accounts.auditing import record
from arena.server.uploads import shift_statements


class Workers:
    """The workers that run hosted bots. Every method raises DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def by_token(self, token: str) -> Worker | None:
        """Return the worker that has this token; None for an unknown token."""
        known = select(workers.c.id, workers.c.name).where(workers.c.sha256 == token_hash(token))
        for row in await fetched(self._engine, known):
            return Worker(WorkerId(row.id), row.name)
        return None

    async def add(self, name: str, actor: str) -> str:
        """Return a new token for a worker; add the worker if there is none of that name.

        An older token is revoked, and the shifts run with it are ended. Raises NameRefusedError.
        """
        check_name("worker", name)
        token = new_worker_token()
        put = (
            insert(workers)
            .values(name=name, sha256=token_hash(token))
            .on_conflict_do_update(
                index_elements=[workers.c.name], set_={"sha256": token_hash(token)}
            )
            .returning(workers.c.id)
        )
        async with transaction(self._engine) as connection:
            await _end_shifts(connection, await connection.scalar(put))
            await record(connection, actor, "add worker", name)
        return token

    async def tell_seen(self, worker: Worker, slots: int) -> None:
        """Record that a worker is alive, and how many shifts it can run at once."""
        seen = update(workers).where(workers.c.id == worker.id)
        async with transaction(self._engine) as connection:
            await connection.execute(seen.values(seen_at=func.now(), slots=slots))

    async def expect(self, seconds: float) -> None:
        """Treat a worker as alive for `seconds`, because one is being started.

        During this time owners are not told that no worker runs.
        """
        async with transaction(self._engine) as connection:
            await connection.execute(shift_queue.expect_worker(seconds))

    async def remove(self, name: str, actor: str) -> None:
        """Remove a worker's token and end the shifts run with it. Raises NotFoundError."""
        gone = (
            update(workers)
            .where(workers.c.name == name, workers.c.sha256.is_not(None))
            .values(sha256=None)
            .returning(workers.c.id)
        )
        async with transaction(self._engine) as connection:
            worker_id = await connection.scalar(gone)
            if worker_id is None:
                raise NotFoundError(f"There is no worker {name}: see `arena worker list`.")
            await _end_shifts(connection, worker_id)
            await record(connection, actor, "remove worker", name)

    async def seen(self) -> list[WorkerSeen]:
        """Return the workers that have a token, by name."""
        running = (
            select(func.count())
            .where(shifts.c.worker_id == workers.c.id, shifts.c.ended_at.is_(None))
            .scalar_subquery()
        )
        known = (
            select(workers.c.name, workers.c.created_at, workers.c.seen_at, workers.c.slots)
            .add_columns(running.label("shifts"))
            .where(workers.c.sha256.is_not(None))
            .order_by(workers.c.name)
        )
        return [WorkerSeen(**row._mapping) for row in await fetched(self._engine, known)]

    async def token_hashes(self) -> list[bytes]:
        """Return the hashes of all workers' tokens."""
        found = select(workers.c.sha256).where(workers.c.sha256.is_not(None))
        return [bytes(row.sha256) for row in await fetched(self._engine, found)]


async def _end_shifts(connection: AsyncConnection, worker_id: int | None) -> None:
    """End the shifts of a worker whose token is no longer valid: it cannot end them itself."""
    versions = await connection.scalars(shift_statements.end_lost_shifts(worker_id))
    await connection.execute(bot_statements.tell_tokens(versions.all()))
