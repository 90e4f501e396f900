"""A referee that hosts bots, with a real worker, for tests of what becomes of uploads."""

import asyncio
import io
import zipfile
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from arena.bot.address import Address
from arena.builds.hosted import BuildState, HostedBuild, HostedShift, HostingTerms
from arena.clients.upload_client import UploadClient
from arena.worker.check_process import CHECK_SECONDS
from arena.worker.kept_builds import KeptBuilds
from arena.worker.known_referees import KnownReferees
from arena.worker.referee import Shifts
from arena.worker.worker import Workplace, queue_of, run_worker
from tests.bots import PATIENCE
from tests.jobs import accept_build
from tests.scene import Scene, opened

LONG = 6 * PATIENCE
"""For checks: a program is started several times, behind all that has priority."""
THREADS = 32
"""Clients at the same time."""
PLAYS = """
from arena.bot import Bot

class Plays(Bot):
    def act(self, turn):
        return next(turn.choices())
"""


@dataclass
class Hosted:
    """A referee, and what owners ask of it."""

    scene: Scene
    database: str
    home: Path
    client: UploadClient
    threads: ThreadPoolExecutor

    async def upload(self, owner: str, name: str, data: bytes, bot: str = "mine") -> None:
        """Upload a build, from a thread, as any client does. Raises OwnerCallError."""
        await self.upload_with(await self.scene.key(owner), name, data, bot)

    async def upload_with(self, key: str, name: str, data: bytes, bot: str) -> None:
        """The same by a key."""
        # The threads of asyncio are the referee's, which runs in this process.
        upload = partial(self.client.upload, key, bot, name, data)
        await asyncio.get_running_loop().run_in_executor(self.threads, upload)

    async def build(self, owner: str, bot: str = "mine") -> HostedBuild:
        """The newest build of a bot."""
        known = await self.scene.arena.store.owners.by_key(await self.scene.key(owner))
        assert known is not None
        return (await self.scene.arena.store.builds.of(known, bot))[0]

    async def shifts(self, owner: str, bot: str = "mine") -> list[HostedShift]:
        """The last shifts of a bot's newest version, its check among them."""
        known = await self.scene.arena.store.owners.by_key(await self.scene.key(owner))
        assert known is not None
        return await self.scene.arena.store.shift_logs.of(known, bot, "")

    async def decided(self, owner: str, bot: str = "mine") -> HostedBuild:
        """The same, when its check is over."""
        async with asyncio.timeout(LONG):
            while (build := await self.build(owner, bot)).state is BuildState.CHECKING:  # noqa: ASYNC110  only the database knows
                await asyncio.sleep(0.2)
        return build

    async def accept(self, bot: str = "mine") -> None:
        """Accept a bot's only build without a check."""
        await accept_build(self.scene.arena.store, self.database, bot)

    async def played(self, bot: str) -> None:
        """Wait until a bot has a recorded match."""
        news = asyncio.Event()
        self.scene.arena.writer.listeners.append(news.set)
        async with asyncio.timeout(LONG):
            while not await self.scene.results(bot):
                await news.wait()
                news.clear()

    @asynccontextmanager
    async def worker(
        self,
        slots: int,
        *,
        check_slots: int = 1,
        by_socket: bool = True,
        check_seconds: float = CHECK_SECONDS,
        port: int | None = None,
    ) -> AsyncIterator[None]:
        """A worker, beside the referee or as on another machine; it asks at the `port` of a proxy,
        if one is given."""
        token = await self.scene.arena.store.workers.add("worker", "test")
        referees = KnownReferees(Address(f"127.0.0.1:{port or self.scene.port}"))
        socket = self.home / "referee.sock" if by_socket else None
        builds = KeptBuilds(self.home / "builds")
        place = Workplace(referees, Shifts(referees, token), builds, socket, check_seconds)
        stop = asyncio.Event()
        queue = queue_of(self.database)
        working = asyncio.create_task(run_worker(place, queue, slots, check_slots, stop))
        try:
            yield
        finally:
            stop.set()
            await working


@asynccontextmanager
async def hosting(
    database: str, home: Path, terms: HostingTerms = HostingTerms(shift_seconds=10)
) -> AsyncIterator[Hosted]:
    """A referee that plays Bluff at two seats."""
    async with opened(database, socket=home / "referee.sock", hosting=terms) as scene:
        with ThreadPoolExecutor(THREADS) as threads:
            client = UploadClient(Address(f"127.0.0.1:{scene.port}"))
            yield Hosted(scene, database, home, client, threads)


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    """A .zip with these files, by their paths."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return buffer.getvalue()
