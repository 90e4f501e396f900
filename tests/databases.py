"""URLs of databases, and statements without a store."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy import make_url


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
