"""Unix sockets in directories that only their user may enter, such as the built-in server's."""

import contextlib
import fcntl
import hmac
import os
import pwd
import stat
import tempfile
from pathlib import Path

import psycopg
from sqlalchemy import make_url

from arena.database.errors import DataDirectoryError
from arena.database.private_home import not_writable

USER = "arena"
"""The role that owns the database."""
DATABASE = "arena"

_LONGEST_DIRECTORY = 80
"""The greatest length of a socket's directory, in bytes.

The whole path of a Unix socket must fit in 103 bytes (macOS) or 107 bytes (Linux).
"""


def socket_directory(record: Path) -> Path:
    """Return the private directory for sockets that the file `record` in ARENA_HOME names.

    If there is no record, or another user has taken the directory, a new one is made among the
    temporary files, where paths are short; its name cannot be predicted. The directory is not
    removed when its server ends: otherwise another user could take its name and receive the
    reconnecting processes. The record also contains its own path, so that a copy of it, in a copy
    of ARENA_HOME, is ignored.

    Raises SetupError.
    """
    here = record.resolve()
    try:
        opened = os.open(here, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise not_writable(record, error) from error
    with os.fdopen(opened, "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # several processes may start at the same time
        named, _, of = os.fsdecode(file.read()).partition("\n")
        if of == str(here):
            directory = Path(named)
            with contextlib.suppress(DataDirectoryError, OSError):
                make_private(directory)
                return directory
        directory = _new_directory()
        file.seek(0)
        file.truncate()
        file.write(os.fsencode(f"{directory}\n{here}"))
        return directory


def _new_directory() -> Path:
    name = len("/arena-12345678")
    temporary = tempfile.gettempdir()
    if len(os.fsencode(temporary)) + name > _LONGEST_DIRECTORY:
        temporary = "/tmp"  # noqa: S108  the directory in it is private, its name not foreseeable
    return Path(tempfile.mkdtemp(prefix="arena-", dir=temporary))


def make_private(directory: Path) -> None:
    """Create a directory that only we may enter, or check that an existing one is private.

    The check is needed because anybody may write to its parent. Raises DataDirectoryError.
    """
    with contextlib.suppress(FileExistsError):
        directory.mkdir(mode=0o700)
    found = directory.lstat()
    us = {os.geteuid()} | ({pwd.getpwnam("nobody").pw_uid} if os.geteuid() == 0 else set())
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in us or found.st_mode & 0o077:
        raise DataDirectoryError(
            f"{directory}, for a socket, is not private to this user: remove it, or choose another "
            "directory."
        )


def answers(sockets: Path, password: str) -> bool:
    """Return whether a server accepts the owner's login to our database."""
    try:
        psycopg.connect(
            host=str(sockets), user=USER, password=password, dbname=DATABASE, connect_timeout=5
        ).close()
    except psycopg.OperationalError:
        return False
    return True


def url(sockets: Path, password: str) -> str:
    """Return our database's address for SQLAlchemy with psycopg; the password needs no quoting."""
    return f"postgresql+psycopg://{USER}:{password}@/{DATABASE}?host={sockets}"


def password_of(role: str, owners_password: str) -> str:
    """Return the password of a lesser role, which does not reveal the owner's password."""
    return hmac.digest(owners_password.encode(), role.encode(), "sha256").hex()


def url_of(role: str, owners_url: str) -> str:
    """Return the built-in database's address for a lesser role, from its owner's address."""
    place = make_url(owners_url)
    lesser = place.set(username=role, password=password_of(role, str(place.password)))
    return lesser.render_as_string(hide_password=False)
