"""Synchronous SQLAlchemy engines for reading (commands, the dashboard) and for migrations.

The referee's engine is in the module `async_engine`: SQLAlchemy's asynchronous part imports its
ORM, and a command that only reads would wait for that import.

hstore is off, as SQLAlchemy would search the catalogue for it at every new connection.
"""

from typing import Any

from psycopg.pq import Format
from sqlalchemy import URL, Engine, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection, ExecutionContext
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import ConnectionPoolEntry, NullPool

from arena.database.connecting import (
    MIGRATION,
    PARAMETERS,
    PING_SECONDS,
    POOL_SECONDS,
    READER,
    REFEREE,
    SILENCE_SECONDS,
    ImpatientConnection,
    MigratingConnection,
)
from arena.database.errors import SetupError
from arena.database.roles import READER_ROLE

READERS = 5
"""The number of connections that a reading engine keeps."""


def reading_engine(url: str) -> Engine:
    """Return the dashboard's engine, which cannot write and cannot see tokens or private keys.

    Raises SetupError.
    """
    place = parsed(url)
    role = f"-c role={READER_ROLE} -c default_transaction_read_only=on"
    engine = create_engine(
        place,
        pool_size=READERS,
        pool_timeout=POOL_SECONDS,
        pool_pre_ping=True,
        use_native_hstore=False,
        connect_args=connect_arguments(place, READER, role),
    )
    pinged_soon(engine)
    _in_binary(engine)
    return _connecting_by(engine, ImpatientConnection)


def asking_engine(url: str) -> Engine:
    """Return an engine for one or two short queries at the start. Raises SetupError."""
    return _without_pool(url, REFEREE, ImpatientConnection)


def migrating_engine(url: str) -> Engine:
    """Return an engine for migrations, which may take long. Raises SetupError."""
    return _without_pool(url, MIGRATION, MigratingConnection)


def _without_pool(url: str, session: str, kind: type[ImpatientConnection]) -> Engine:
    place = parsed(url)
    arguments = connect_arguments(place, session)
    engine = create_engine(
        place, poolclass=NullPool, use_native_hstore=False, connect_args=arguments
    )
    return _connecting_by(engine, kind)


def parsed(url: str) -> URL:
    """Return a database's address parsed. Raises SetupError."""
    try:
        place = make_url(url)
        place.get_dialect()().create_connect_args(place)
    except (ArgumentError, ValueError) as error:
        raise SetupError(
            "ARENA_DATABASE_URL is malformed: it must look like "
            "postgresql://user:password@host:5432/arena, with %40 for an @ in the password."
        ) from error
    return place


def connect_arguments(url: URL, session: str, forced: str = "") -> dict[str, Any]:
    """Return the driver's arguments: our defaults, and what the URL gives.

    The URL overrides the defaults, but cannot change the `forced` settings.
    """
    given = url.query.get("options", "")
    own = given if isinstance(given, str) else " ".join(given)
    options = " ".join(part for part in (session, own, forced) if part)
    defaults = {name: value for name, value in PARAMETERS.items() if name not in url.query}
    return defaults | {"options": options}


def pinged_soon(engine: Engine) -> None:
    """Shorten the allowed silence of a connection while it is in the pool, where it is pinged."""

    @event.listens_for(engine, "checkin")
    def returned(connection: DBAPIConnection | None, record: ConnectionPoolEntry) -> None:
        if connection is not None:
            record.driver_connection.silence_seconds = PING_SECONDS  # type: ignore[union-attr]

    @event.listens_for(engine, "checkout")
    def taken(_connection: object, record: ConnectionPoolEntry, _proxy: object) -> None:
        record.driver_connection.silence_seconds = SILENCE_SECONDS  # type: ignore[union-attr]


def _in_binary(engine: Engine) -> None:
    """Return results as bytes for statements with the execution option `binary`.

    As text, each byte of a large `bytea` would be two characters to write, send, keep and read.
    """

    @event.listens_for(engine, "before_cursor_execute")
    def choose(
        _connection: object,
        cursor: Any,
        _statement: object,
        _values: object,
        context: ExecutionContext | None,
        _many: object,
    ) -> None:
        if context is not None and context.execution_options.get("binary"):
            cursor.format = Format.BINARY


def _connecting_by(engine: Engine, kind: type[ImpatientConnection]) -> Engine:
    @event.listens_for(engine, "do_connect")
    def connect(
        _dialect: object, _record: object, words: list[Any], parameters: dict[str, Any]
    ) -> DBAPIConnection:
        connection: Any = kind.connect(*words, **parameters)
        if connection.info.parameter_status("server_encoding") == "SQL_ASCII":
            connection.close()  # the driver would decode nothing of it
            raise SetupError(
                "The database's encoding is SQL_ASCII, which says nothing about its text: make one "
                "with CREATE DATABASE arena ENCODING 'UTF8' TEMPLATE template0."
            )
        return connection  # type: ignore[no-any-return]

    return engine
