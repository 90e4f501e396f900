"""A wall clock that can be moved under a running program, by a library that is preloaded."""

import mmap
import os
import shutil
import struct
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

_LONG = struct.Struct("@l")
_SOURCE = Path(__file__).with_suffix(".c")


class WallClock:
    """The clock of the programs that are started with its `environment`."""

    def __init__(self, directory: Path) -> None:
        """`directory` takes two files. Needs a C compiler, see `available`."""
        library, file = directory / "wall_clock.so", directory / "wall_clock"
        subprocess.run(
            ["cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, _SOURCE],
            check=True,
        )
        file.write_bytes(_LONG.pack(0))
        with file.open("r+b") as opened:
            self._offset = mmap.mmap(opened.fileno(), _LONG.size)
        self.environment = {"LD_PRELOAD": str(library), "WALL_CLOCK": str(file)}

    @staticmethod
    def available() -> bool:
        """Whether it can be built here; in CI it must be."""
        found = os.name == "posix" and shutil.which("cc") is not None
        assert found or "CI" not in os.environ, "no C compiler"
        return found

    @property
    def offset(self) -> int:
        """By how many seconds it is ahead."""
        (seconds,) = _LONG.unpack_from(self._offset)
        return int(seconds)

    def move(self, seconds: int) -> None:
        """Move it, forward or back."""
        _LONG.pack_into(self._offset, 0, self.offset + seconds)

    def now(self) -> datetime:
        """What it shows."""
        return datetime.now(UTC) + timedelta(seconds=self.offset)
