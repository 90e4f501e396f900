"""Synchronous SQLAlchemy engines: to read, for commands and the dashboard, and for migrations.

The referee's is in `async_engine`: SQLAlchemy's asynchronous side imports its ORM, which a command
that only reads would wait for.

hstore is off: SQLAlchemy would search the catalogue for it at every connection.
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
from arena.database.errors import EncodingRefusedError, MalformedUrlError
from arena.database.roles import READER_ROLE

READERS = 5
"""Connections that a reading engine keeps."""


def reading_engine(url: str) -> Engine:
    """Return the dashboard's: cannot write and cannot see tokens or private keys.

    Raises MalformedUrlError.
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
    """Return an engine for a question or two before anything else.

    Raises MalformedUrlError.
    """
    return _without_pool(url, REFEREE, ImpatientConnection)


def migrating_engine(url: str) -> Engine:
    """Return an engine for migrations, which may take their time.

    Raises MalformedUrlError.
    """
    return _without_pool(url, MIGRATION, MigratingConnection)


def _without_pool(url: str, session: str, kind: type[ImpatientConnection]) -> Engine:
    place = parsed(url)
    arguments = connect_arguments(place, session)
    engine = create_engine(
        place, poolclass=NullPool, use_native_hstore=False, connect_args=arguments
    )
    return _connecting_by(engine, kind)


def parsed(url: str) -> URL:
    """Return a database's address.

    Raises MalformedUrlError.
    """
    try:
        place = make_url(url)
        place.get_dialect()().create_connect_args(place)
    except (ArgumentError, ValueError) as error:
        raise MalformedUrlError(
            "ARENA_DATABASE_URL is malformed: it must look like "
            "postgresql://user:password@host:5432/arena, with %40 for an @ in the password."
        ) from error
    return place


def connect_arguments(url: URL, session: str, forced: str = "") -> dict[str, Any]:
    """Our defaults, and what the URL gives; `forced` are settings that it cannot change."""
    given = url.query.get("options", "")
    own = given if isinstance(given, str) else " ".join(given)
    options = " ".join(part for part in (session, own, forced) if part)
    defaults = {name: value for name, value in PARAMETERS.items() if name not in url.query}
    return defaults | {"options": options}


def pinged_soon(engine: Engine) -> None:
    """Be less patient with a connection while it lies in the pool: then it is only pinged."""

    @event.listens_for(engine, "checkin")
    def returned(connection: DBAPIConnection | None, record: ConnectionPoolEntry) -> None:
        if connection is not None:
            record.driver_connection.silence_seconds = PING_SECONDS  # type: ignore[union-attr]

    @event.listens_for(engine, "checkout")
    def taken(_connection: object, record: ConnectionPoolEntry, _proxy: object) -> None:
        record.driver_connection.silence_seconds = SILENCE_SECONDS  # type: ignore[union-attr]


def _in_binary(engine: Engine) -> None:
    """Let statements with the execution option `binary` have their results as bytes.

    As text, each byte of a large `bytea` is two, which are written, sent, kept and read.
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
            raise EncodingRefusedError(
                "The database's encoding is SQL_ASCII, which says nothing about its text: make one "
                "with CREATE DATABASE arena ENCODING 'UTF8' TEMPLATE template0."
            )
        return connection  # type: ignore[no-any-return]

    return engine
