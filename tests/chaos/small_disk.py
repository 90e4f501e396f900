"""A file system of its own that can be filled: an image, mounted by the loop device."""

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LEAST = 1024
"""Bytes that are left when it is full."""


class SmallDisk:
    """A mounted file system."""

    def __init__(self, directory: Path) -> None:
        self._ballast = directory / "ballast"

    def fill(self) -> None:
        """Take all space that is left; again, what has become free since."""
        file = os.open(self._ballast, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            piece = 1 << 30
            while piece >= _LEAST:
                try:
                    os.posix_fallocate(file, os.fstat(file).st_size, piece)
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
                    piece //= 2
        finally:
            os.close(file)

    def free(self) -> None:
        """Give the space back."""
        self._ballast.unlink()


@contextmanager
def small_disk(directory: Path, megabytes: int) -> Iterator[SmallDisk | None]:
    """One at `directory`, which is made; None where we may not mount."""
    directory.mkdir(parents=True)
    image = directory.with_name(f"{directory.name}.image")
    with image.open("wb") as file:
        file.truncate(megabytes << 20)
    # Nothing reserved: full is full for root, too.
    _run("mkfs.ext4", "-q", "-F", "-m", "0", str(image))
    mounted = _run("mount", "-o", "loop", str(image), str(directory))
    try:
        yield SmallDisk(directory) if mounted else None
    finally:
        if mounted and not _run("umount", str(directory)):
            _run("umount", "--lazy", str(directory))


def _run(*command: str) -> bool:
    with suppress(FileNotFoundError):
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    return False
