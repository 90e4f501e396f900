"""`alone`: a lock that admits one `arena up` to a home.

A second would give new tokens to the bots of the first.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.commands.errors import CommandError
from arena.database.private_home import make_private_home, not_writable


@contextmanager
def alone(home: Path) -> Iterator[None]:
    """Keep other `arena up` out of this home until the block is left, or this process is gone.

    Raises CommandError if one runs there, and SetupError.
    """
    make_private_home(home)
    place = home / "up.lock"
    try:
        lock = place.open("ab")
    except OSError as error:
        raise not_writable(place, error) from error
    with lock:  # no child inherits it
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CommandError(
                f"another `arena up` runs in {home.absolute()}: stop it, choose another directory "
                "with ARENA_HOME for a second arena, or run `arena serve --port 0` for a second "
                "referee of this one."
            ) from error
        except OSError as error:  # a file system without locks
            raise not_writable(place, error) from error
        yield
