"""URLs of databases, copies of databases, and statements without a store."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from sqlalchemy import make_url

TEMPLATE = "arena_template"
"""The database of the tests' server that is migrated and empty."""


def plain(url: str) -> str:
    """The URL as psycopg alone takes it."""
    return url.replace("+psycopg", "", 1)


def named(url: str, database: str) -> str:
    """The URL of another database of the same server."""
    return make_url(url).set(database=database).render_as_string(hide_password=False)


def execute(url: str, statement: str) -> None:
    """Run one statement outside a transaction."""
    with psycopg.connect(plain(url), autocommit=True) as connection:
        connection.execute(statement.encode())


class Copies:
    """Makes databases of one server, over one connection."""

    def __init__(self, url: str, connection: "psycopg.Connection[Any]") -> None:
        self._url = url
        self._connection = connection
        self._numbers = itertools.count(1)

    @classmethod
    @contextmanager
    def made_on(cls, url: str) -> "Iterator[Copies]":
        with psycopg.connect(plain(url), autocommit=True) as connection:
            yield cls(url, connection)

    @contextmanager
    def of(self, template: str) -> Iterator[str]:
        """The URL of a copy of the database `template`, until the block ends."""
        name = f"test_{next(self._numbers)}"
        create = f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy"
        self._connection.execute(create.encode())
        try:
            yield named(self._url, name)
        finally:
            self._connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@contextmanager
def unreachable(url: str) -> Iterator[None]:
    """While the block runs, nobody gets into a database; whoever was in it is thrown out."""
    name = make_url(url).database
    others = named(url, "postgres")
    execute(others, f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    try:
        execute(
            others,
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'",
        )
        yield
    finally:
        execute(others, f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
