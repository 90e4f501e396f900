"""The SQLAlchemy engine of the referee, and of commands that write."""

from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from arena.database.connecting import POOL_SECONDS, REFEREE, ImpatientAsyncConnection
from arena.database.engine import connect_arguments, parsed, pinged_soon

POOL_SIZE = 10
"""The number of a referee's connections, which stay open once they are made.

A referee records over one of them and reads over a few others. The number is small because all
referees share the server's limit of connections.
"""


def async_engine(url: str) -> AsyncEngine:
    """Return the referee's engine, which reads and writes. Raises SetupError."""
    place = parsed(url)
    engine = create_async_engine(
        place,
        pool_size=POOL_SIZE,
        max_overflow=0,
        pool_timeout=POOL_SECONDS,
        pool_pre_ping=True,
        use_native_hstore=False,
        # An error must not carry the signing key or a token's hash into a log.
        hide_parameters=True,
        connect_args=connect_arguments(place, REFEREE)
        | {"async_creator_fn": ImpatientAsyncConnection.connect},
    )
    pinged_soon(engine.sync_engine)
    return engine
