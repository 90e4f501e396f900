"""`KeptBuilds`, a cache of the builds that a worker fetched, in folders named by their SHA-256.

Workers with the same ARENA_HOME share it. A worker locks the cache to change it, and a build to run
it. The locks are file locks, which the kernel frees if a worker is killed.
"""

import asyncio
import fcntl
import hashlib
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import BinaryIO, Final

from arena.builds.build import Build, read_build, unpack
from arena.builds.errors import BuildRefusedError

MOST_KEPT: Final = 50
"""The most builds kept; beyond it the least recently used are removed, except those in use."""
_PACKED: Final = "packed"
_UNPACKED: Final = "files"


class KeptBuilds:
    """A folder of builds. A program sees only its own build's files, read-only."""

    def __init__(self, folder: Path, most: int = MOST_KEPT) -> None:
        self._folder = folder
        self._most = most
        self._lock = folder.with_name(f"{folder.name}.lock")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    @asynccontextmanager
    async def used(
        self, sha256: bytes, file_name: str, fetch: Callable[[], Awaitable[bytes]]
    ) -> AsyncIterator[tuple[Build, Path]]:
        """Yield a build, and the folder with its files, which is kept until the block ends.

        Raises BuildRefusedError and what `fetch` raises.
        """
        held = None
        while held is None:
            build, folder = await self.get(sha256, file_name, fetch)
            held = _held(folder.with_name(_PACKED))
        with held:
            yield build, folder

    async def get(
        self, sha256: bytes, file_name: str, fetch: Callable[[], Awaitable[bytes]]
    ) -> tuple[Build, Path]:
        """Return a build, and the folder with its files, which may be removed at any time.

        Raises BuildRefusedError and what `fetch` raises.
        """
        place = self._folder / sha256.hex()
        data = await asyncio.to_thread(self._kept, place)
        if data is not None:
            return read_build(file_name, data, len(data)), place / _UNPACKED
        data = await fetch()
        if hashlib.sha256(data).digest() != sha256:
            raise BuildRefusedError("The referee sent another build than the one to run.")
        build = read_build(file_name, data, len(data))
        await asyncio.to_thread(self._keep, build, place)
        return build, place / _UNPACKED

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock the folder against changes by other threads and workers."""
        with self._lock.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _kept(self, place: Path) -> bytes | None:
        """Return a kept build as uploaded, or None; it then counts as recently used."""
        with self._locked():
            if not (place / _UNPACKED).is_dir():
                return None
            os.utime(place)
            return (place / _PACKED).read_bytes()

    def _keep(self, build: Build, place: Path) -> None:
        """Unpack a build atomically: its folder is complete or missing."""
        with self._locked():
            if (place / _UNPACKED).is_dir():  # another slot was faster
                return
            self._drop_old()
            new = Path(mkdtemp(dir=self._folder))
            try:
                (new / _UNPACKED).mkdir()
                unpack(build, new / _UNPACKED)
                (new / _PACKED).write_bytes(build.data)
                new.chmod(0o755)
                new.rename(place)
            except BaseException:
                shutil.rmtree(new, ignore_errors=True)
                raise

    def _drop_old(self) -> None:
        kept = sorted(self._folder.iterdir(), key=lambda one: one.stat().st_mtime, reverse=True)
        for old in kept[self._most - 1 :]:
            _remove_unused(old)


def _held(packed: Path) -> BinaryIO | None:
    """Return a build's file, locked until it is closed; None if the build is being removed."""
    try:
        file = packed.open("rb")
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(file.fileno()), packed.stat()):
            return file
    except (BlockingIOError, FileNotFoundError):
        pass
    file.close()
    return None


def _remove_unused(place: Path) -> None:
    """Remove a build that is not in use, or an incomplete one left by a killed worker."""
    try:
        with (place / _PACKED).open("r+b") as packed:
            fcntl.flock(packed, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Renamed first, so that a worker that is killed here leaves no partial build.
            place = place.rename(mkdtemp(dir=place.parent))
            shutil.rmtree(place, ignore_errors=True)
    except FileNotFoundError:
        shutil.rmtree(place, ignore_errors=True)
    except BlockingIOError:
        pass
