"""Bring a database to this release's schema."""

from pathlib import Path

from psycopg.errors import InsufficientPrivilege
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import OperationalError, ProgrammingError

from arena.storage.errors import (
    DatabaseUnreachableError,
    MigrationRefusedError,
    SchemaTooNewError,
)
from arena.storage.tables import READER_ROLE

HEAD = "0005"
"""The newest migration; a test keeps this true. Known here, a start need not load Alembic."""

_LOCK = 7_236_401
"""Any number: two processes that start together migrate one after the other."""


def migrate(url: str) -> None:
    """Apply the migrations that are missing, all or none.

    Raises DatabaseUnreachableError, SchemaTooNewError, MigrationRefusedError.
    """
    engine = create_engine(url, use_native_hstore=False)
    try:
        with engine.begin() as connection:
            if _current(connection) != HEAD:
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
                _upgrade(connection)
    except OperationalError as error:
        raise DatabaseUnreachableError(
            f"No Postgres answers at {engine.url.render_as_string()}: start it or correct "
            f"ARENA_DATABASE_URL ({str(error.orig).strip().splitlines()[0]})."
        ) from error
    except ProgrammingError as error:
        if not isinstance(error.orig, InsufficientPrivilege):
            raise
        raise MigrationRefusedError(
            f"The database refused a migration ({str(error.orig).splitlines()[0]}): let its user "
            f"own the schema, and make the role first (CREATE ROLE {READER_ROLE}; "
            f"GRANT {READER_ROLE} TO {engine.url.username or 'user'};)."
        ) from error
    finally:
        engine.dispose()


def _current(connection: Connection) -> str | None:
    exists = connection.scalar(text("SELECT to_regclass('alembic_version') IS NOT NULL"))
    if not exists:
        return None
    version: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return version


def _upgrade(connection: Connection) -> None:
    # Here, because Alembic takes longer to load than most starts take in all.
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    config.attributes["connection"] = connection
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    current = _current(connection)  # again: it may have changed while we waited for the lock
    if current is not None and current not in known:
        raise SchemaTooNewError(
            f"The database has the schema {current} of a newer release: install that release, or "
            "choose another ARENA_HOME."
        )
    command.upgrade(config, "head")
