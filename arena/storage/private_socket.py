"""Unix sockets, the built-in server's above all, in directories that only their user may enter."""

import contextlib
import hashlib
import os
import pwd
import stat
import tempfile
from pathlib import Path

import psycopg
from psycopg import sql

from arena.storage.errors import DataDirectoryError

USER = "arena"
DATABASE = "arena"

_LONGEST_DIRECTORY = 80
"""Bytes. A Unix socket's whole path has to fit in 103 (macOS) or 107 (Linux)."""


def socket_directory(data: Path) -> Path:
    """The socket's directory: a short path, always the same for a data directory."""
    name = f"arena-{hashlib.sha256(os.fsencode(data.resolve())).hexdigest()[:16]}"
    temporary = Path(tempfile.gettempdir())
    if len(os.fsencode(temporary / name)) > _LONGEST_DIRECTORY:
        temporary = Path("/tmp")  # noqa: S108  the directory in it is made private
    return temporary / name


def make_private(directory: Path) -> None:
    """Create a directory that only we may enter, or check that it is one: anybody may write to its
    parent."""
    with contextlib.suppress(FileExistsError):
        directory.mkdir(mode=0o700)
    found = directory.lstat()
    us = {os.geteuid()} | ({pwd.getpwnam("nobody").pw_uid} if os.geteuid() == 0 else set())
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in us or found.st_mode & 0o077:
        raise DataDirectoryError(
            f"{directory}, for a socket, is not private to this user: remove it."
        )


def answers(sockets: Path, database: str, password: str) -> bool:
    """Whether a server lets us into a database."""
    try:
        _connect(sockets, database, password).close()
    except psycopg.OperationalError:
        return False
    return True


def _connect(sockets: Path, database: str, password: str) -> psycopg.Connection:
    return psycopg.connect(
        host=str(sockets),
        user=USER,
        password=password,
        dbname=database,
        autocommit=True,
        connect_timeout=5,
    )


def create_database(sockets: Path, password: str) -> None:
    """Create our database, unless it is there."""
    with _connect(sockets, "postgres", password) as connection:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
        if found.fetchone() is None:
            name = sql.Identifier(DATABASE)
            connection.execute(sql.SQL("CREATE DATABASE {}").format(name))


def url(sockets: Path, password: str) -> str:
    """Our database's address for SQLAlchemy with psycopg; the password needs no quoting."""
    return f"postgresql+psycopg://{USER}:{password}@/{DATABASE}?host={sockets}"
