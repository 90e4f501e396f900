"""ARENA_HOME: a directory for its owner alone. It holds keys, passwords, results and logs."""

import contextlib
import os
import stat
from pathlib import Path

from arena.storage.errors import HomeNotWritableError

_OURS = 0o700
_PASSABLE = 0o711
"""Root's may let others pass to what they own: where Postgres must run as nobody, it has to."""


def make_private_home(home: Path) -> None:
    """Make the directory, or take from others what they may do in it.

    Raises HomeNotWritableError.
    """
    try:
        home.mkdir(mode=_OURS, parents=True, exist_ok=True)
        found = home.stat()
        private = stat.S_IMODE(found.st_mode) & (_PASSABLE if os.geteuid() == 0 else _OURS)
        if private != stat.S_IMODE(found.st_mode):
            with contextlib.suppress(PermissionError):  # somebody else's: theirs to decide
                home.chmod(private)
    except OSError as error:
        raise not_writable(home, error) from error


def not_writable(place: Path, error: OSError) -> HomeNotWritableError:
    """The error for a place in ARENA_HOME that cannot be written."""
    return HomeNotWritableError(
        f"Cannot write to {place} ({error.strerror}): choose another directory with ARENA_HOME."
    )
