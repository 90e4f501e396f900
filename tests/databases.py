"""URLs of databases, copies of databases, and statements without a store.

A test works as the owner of its database, as a referee does, and not as a superuser.
"""

import itertools
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import make_url

from tests.waiting import until

TEMPLATE = "arena_template"
"""The database of the tests' server that is migrated and empty."""
DONE_ARE_KEPT = 3
"""The number of databases that are kept after their tests, until later ones are over."""


def plain(url: str) -> str:
    """Return the URL in the form that psycopg takes."""
    return url.replace("+psycopg", "", 1)


def named(url: str, database: str) -> str:
    """The URL of another database of the same server."""
    return make_url(url).set(database=database).render_as_string(hide_password=False)


def administrator(url: str) -> str:
    """The URL for the superuser of a server that `let_everybody_in` has changed."""
    return _as("postgres", url)


def _as(role: str, url: str) -> str:
    place = make_url(url).set(username=role, password=None)
    return place.render_as_string(hide_password=False)


def let_everybody_in(data: Path, url: str) -> None:
    """Make a running built-in server admit everybody without a password, even the superuser."""
    (data / "pg_hba.conf").write_text("local all all trust\n")
    os.kill(int((data / "postmaster.pid").read_text().split()[0]), signal.SIGHUP)
    until(lambda: answers(administrator(url)), why="nobody is let in")


def execute(url: str, statement: str) -> None:
    """Run one statement outside a transaction."""
    with psycopg.connect(plain(url), autocommit=True) as connection:
        connection.execute(statement.encode())


def answers(url: str) -> bool:
    """Return whether a database accepts a connection."""
    try:
        execute(url, "SELECT")
    except psycopg.OperationalError:
        return False
    return True


class Copies:
    """Makes databases of one server, over one connection of its superuser."""

    def __init__(self, url: str, connection: "psycopg.Connection[Any]") -> None:
        self._url = url
        self._connection = connection
        self._numbers = itertools.count(1)
        self._done: list[str] = []
        """The databases that no test needs any more."""

    @classmethod
    @contextmanager
    def made_on(cls, url: str) -> "Iterator[Copies]":
        with psycopg.connect(plain(url), autocommit=True) as connection:
            # What an earlier run on this server left when it was killed.
            left = "SELECT datname FROM pg_database WHERE datname LIKE 'test\\_%'"
            for (name,) in connection.execute(left).fetchall():
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
            yield cls(url, connection)

    @contextmanager
    def of(self, template: str) -> Iterator[str]:
        """The URL of a copy of the database `template`, until the block ends."""
        name = f"test_{next(self._numbers)}"
        create = f"CREATE DATABASE {name} OWNER arena TEMPLATE {template} STRATEGY file_copy"
        self._connection.execute(create.encode())
        try:
            yield _as("arena", named(self._url, name))
        finally:
            # Dropped only later: Postgres sleeps a tenth of a second if a connection has not quite
            # ended.
            self._done.append(name)
            while len(self._done) > DONE_ARE_KEPT:
                self._connection.execute(f"DROP DATABASE {self._done.pop(0)} WITH (FORCE)".encode())


@contextmanager
def unreachable(url: str) -> Iterator[None]:
    """Let a database refuse connections while the block runs, and end those that it has."""
    name = make_url(url).database
    others = administrator(named(url, "postgres"))
    execute(others, f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    try:
        execute(
            others,
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'",
        )
        yield
    finally:
        execute(others, f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
