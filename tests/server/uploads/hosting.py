"""Builds that are uploaded and checked, their workers' jobs, and a referee that hosts them."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg

from arena.builds.build import Build, read_build
from arena.builds.hosted import (
    CHECK_QUEUE,
    QUEUE,
    HostingTerms,
    Worker,
)
from arena.database.rows import MatchRow
from arena.records import Allowance, Owner, VersionId
from arena.server.app.store import Store
from arena.server.limits.limits import Limits
from arena.v1 import upload_pb2 as pb
from arena.v1 import worker_pb2 as workers
from arena.v1.challenge_pb2_grpc import ChallengeServiceStub
from arena.v1.owner_pb2_grpc import OwnerServiceStub
from arena.v1.registry_pb2_grpc import RegistryServiceStub
from arena.v1.upload_pb2_grpc import UploadServiceStub
from arena.v1.worker_pb2_grpc import WorkerServiceStub
from tests.bots import PATIENCE
from tests.jobs import job_in_hand
from tests.scene import Scene, opened
from tests.service_calls import bearing

ALLOWED = Allowance(50, 50, 50)
TERMS = HostingTerms()
QUICK = Limits(refusal_seconds=0.0)
CHUNK = 64 * 1024


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


class Hosting:
    """A referee that hosts bots, and its two services."""

    def __init__(self, scene: Scene, database: str, token: str) -> None:
        self.scene = scene
        self.database = database
        # The types of generated stubs are those of grpc.aio as well.
        self.uploads: Any = UploadServiceStub(scene.channel)
        self.owners: Any = OwnerServiceStub(scene.channel)
        self.workers: Any = WorkerServiceStub(scene.channel)
        self.registry: Any = RegistryServiceStub(scene.channel)
        self.challenges: Any = ChallengeServiceStub(scene.channel)
        self.worker = bearing(token)

    async def upload(
        self, owner: str, bot: str, data: bytes = b"pass", file_name: str = "b.py"
    ) -> pb.UploadBuildResponse:
        key = bearing(await self.scene.key(owner))
        parts = parts_of(bot, data, file_name)
        answer: pb.UploadBuildResponse = await self.uploads.UploadBuild(parts, metadata=key)
        return answer

    async def builds(self, owner: str) -> list[Any]:
        key = bearing(await self.scene.key(owner))
        return list((await self.uploads.ListBuilds(pb.ListBuildsRequest(), metadata=key)).builds)

    async def begin(self, **what: int) -> Any:
        """Begin a shift whose job waits in the queue."""
        job = {name.removeprefix("check_"): id_ for name, id_ in what.items()}
        with job_in_hand(self.database, **job):
            return await self.workers.BeginShift(
                workers.BeginShiftRequest(**what), metadata=self.worker
            )

    async def end(self, shift: int, **how: Any) -> None:
        request = workers.EndShiftRequest(shift_id=shift, **how)
        await self.workers.EndShift(request, metadata=self.worker)

    async def recorded(self, bot: str) -> list[MatchRow]:
        """The recorded matches of a bot, when there is one."""
        news = asyncio.Event()
        self.scene.arena.writer.listeners.append(news.set)
        async with asyncio.timeout(PATIENCE):
            while not (found := await self.scene.results(bot)):
                await news.wait()
                news.clear()
        return found

    async def playing(self, owner: str = "me", bot: str = "mine") -> Any:
        """A shift of a bot that was uploaded and accepted."""
        await self.upload(owner, bot)
        check = await self.begin(check_version_id=1)
        await self.end(check.shift_id, accepted=True)
        return await self.begin(bot_id=1)


def parts_of(
    bot: str, data: bytes, file_name: str = "b.py", size: int | None = None
) -> Iterator[pb.UploadBuildRequest]:
    said = len(data) if size is None else size
    yield pb.UploadBuildRequest(bot=bot, file_name=file_name, size=said)
    for start in range(0, len(data), CHUNK):
        yield pb.UploadBuildRequest(data=data[start : start + CHUNK])


@asynccontextmanager
async def hosting(
    database: str, terms: HostingTerms | None = HostingTerms()
) -> AsyncIterator[Hosting]:
    async with opened(database, limits=QUICK, hosting=terms) as scene:
        token = await scene.arena.store.workers.add("w1", "me")
        yield Hosting(scene, database, token)
