"""URLs of databases, and statements without a store."""

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
