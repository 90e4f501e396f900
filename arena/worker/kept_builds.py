"""`KeptBuilds`, the builds that a worker fetched, unpacked in folders named by their SHA-256."""

import asyncio
import hashlib
import os
import shutil
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from arena.builds import Build, BuildRefusedError, read_build, unpack

MOST_KEPT: Final = 50
"""The most builds kept; the least recently used one is removed.

A worker with many slots keeps more, as running builds must stay.
"""
_PACKED: Final = "packed"
_UNPACKED: Final = "files"


class KeptBuilds:
    """A folder of builds. A program sees the files of its own build, and cannot write there."""

    def __init__(self, folder: Path, most: int = MOST_KEPT) -> None:
        self._folder = folder
        self._most = most
        self._one_at_a_time = threading.Lock()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    async def get(
        self, sha256: bytes, file_name: str, fetch: Callable[[], Awaitable[bytes]]
    ) -> tuple[Build, Path]:
        """Return a build, and the folder with its files.

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

    def _kept(self, place: Path) -> bytes | None:
        """Return a kept build as uploaded, or None."""
        with self._one_at_a_time:
            if not (place / _UNPACKED).is_dir():
                return None
            os.utime(place)
            return (place / _PACKED).read_bytes()

    def _keep(self, build: Build, place: Path) -> None:
        """Unpack a build, so that its folder is complete or missing."""
        with self._one_at_a_time:
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
            shutil.rmtree(old, ignore_errors=True)
