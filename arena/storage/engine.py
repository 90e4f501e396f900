"""SQLAlchemy engines: asynchronous for the referee, synchronous and read-only for the dashboard.

hstore is off: SQLAlchemy would search the catalogue for it at every connection.
"""

from sqlalchemy import URL, Engine, create_engine, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from arena.storage.tables import READER_ROLE

POOL_SIZE = 5
"""Connections an engine keeps. The referee records over one and reads over few others."""


def async_engine(url: str) -> AsyncEngine:
    """The referee's engine: reads and writes."""
    return create_async_engine(
        url,
        pool_size=POOL_SIZE,
        pool_pre_ping=True,
        use_native_hstore=False,
        # An error must not carry the signing key or a token's hash into a log.
        hide_parameters=True,
    )


def reading_engine(url: str) -> Engine:
    """The dashboard's engine: cannot write and cannot see tokens or private keys."""
    session = f"-c role={READER_ROLE} -c default_transaction_read_only=on"
    return create_engine(
        url,
        pool_size=POOL_SIZE,
        pool_pre_ping=True,
        use_native_hstore=False,
        connect_args={"options": _options(make_url(url), session)},
    )


def _options(url: URL, session: str) -> str:
    given = url.query.get("options", "")
    return f"{given if isinstance(given, str) else ' '.join(given)} {session}".strip()
