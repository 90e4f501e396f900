"""ARENA_HOME, a directory for its owner alone. It holds keys, passwords, results and logs."""

import contextlib
import os
import stat
from pathlib import Path
from typing import BinaryIO

from arena.database.errors import SetupError

_OURS = 0o700
_PASSABLE = 0o711
"""The mode of root's home, which others may pass through.

If the arena runs as root, Postgres may have to run as the user nobody and reach its files there.
"""


def make_private_home(home: Path) -> None:
    """Make the directory, or remove the rights of others in it. Raises SetupError."""
    try:
        home.mkdir(mode=_OURS, parents=True, exist_ok=True)
        found = home.stat()
        private = stat.S_IMODE(found.st_mode) & (_PASSABLE if os.geteuid() == 0 else _OURS)
        if private != stat.S_IMODE(found.st_mode):
            with contextlib.suppress(PermissionError):  # another user owns it and decides
                home.chmod(private)
    except OSError as error:
        raise not_writable(home, error) from error


def private_log(path: Path, *, append: bool = False) -> BinaryIO:
    """Open a file for writing that only its owner may read, even if it existed with other rights.

    It is emptied unless `append`. Raises OSError, also for a symbolic link.
    """
    mode = os.O_APPEND if append else 0
    opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | mode, 0o600)
    file = os.fdopen(opened, "ab" if append else "wb")
    with contextlib.suppress(PermissionError):  # another user owns it and decides
        os.fchmod(opened, 0o600)
    if not append:
        file.truncate(0)
    return file


def not_writable(place: Path, error: OSError) -> SetupError:
    """Return the error for a place in ARENA_HOME that cannot be written."""
    return SetupError(
        f"Cannot write to {place} ({error.strerror}): choose another directory with ARENA_HOME."
    )
