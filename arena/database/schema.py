"""The migration of a database to this release's schema."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psycopg
from psycopg.errors import DeadlockDetected, InsufficientPrivilege, LockNotAvailable
from sqlalchemy import Connection, Engine, func, select, text
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, ProgrammingError

from arena.database.advisory_locks import AdvisoryLock
from arena.database.engine import asking_engine, migrating_engine
from arena.database.errors import DatabaseUnreachableError, MigrationBlockedError, SetupError

HEAD = "0050"
"""The newest migration; a test checks it. With it, a start need not load Alembic."""
FIRST = "0049"
"""The oldest migration, the schema of the first release; a test checks it."""
LAST_BEFORE: Final = "4b9c8818"
"""The commit that upgrades all earlier schemas to `FIRST`."""
_TRIES: Final = 3
_IN_TRANSACTIONS: Final = (
    "SELECT pid, application_name, xact_start, query FROM pg_stat_activity "
    "WHERE datname = current_database() AND xact_start IS NOT NULL ORDER BY xact_start;"
)
"""A query for the operator that lists the sessions which may hold a lock, the oldest first."""


def migrate(url: str) -> None:
    """Apply the migrations that are missing, all or none.

    Raises DatabaseUnreachableError, SetupError, MigrationBlockedError.
    """
    with _connection(asking_engine(url)) as connection:
        if _current(connection) == HEAD:
            return
    for tries_left in reversed(range(_TRIES)):
        try:
            with _connection(migrating_engine(url)) as connection:
                connection.execute(select(func.pg_advisory_xact_lock(AdvisoryLock.MIGRATING.value)))
                _upgrade(connection)
            return
        except MigrationBlockedError as error:
            # Running referees of the previous release lock the same tables in another order. After
            # a second, Postgres ends one of the two transactions.
            if not (tries_left and _deadlocked(error.__cause__)):
                raise


def _deadlocked(error: BaseException | None) -> bool:
    return isinstance(error, DBAPIError) and isinstance(error.orig, DeadlockDetected)


def require_answer(url: str) -> None:
    """Raise DatabaseUnreachableError or SetupError unless a Postgres answers at the URL."""
    with _connection(asking_engine(url)):
        pass


@contextmanager
def _connection(engine: Engine) -> Iterator[Connection]:
    """Run a transaction, and raise its errors in our own words."""
    try:
        with engine.begin() as connection:
            yield connection
    except OperationalError as error:
        if isinstance(error.orig, LockNotAvailable | DeadlockDetected):
            raise MigrationBlockedError(
                f"The database was not brought to this release's schema ({_reason(error)}): "
                "another session holds a lock that this needs, such as a backup, a long query or "
                "another migration. Nothing was changed. Wait for it or end it, and try again. The "
                f"sessions in transactions, the oldest first: {_IN_TRANSACTIONS}"
            ) from error
        raise DatabaseUnreachableError(
            f"No Postgres answers at {engine.url.render_as_string()}: start it or correct "
            f"ARENA_DATABASE_URL ({_reason(error)})."
        ) from error
    except (ArgumentError, UnicodeError) as error:
        raise SetupError(f"ARENA_DATABASE_URL is malformed: {error}.") from error
    except ProgrammingError as error:
        if isinstance(error.orig, psycopg.Error) and error.orig.sqlstate is None:
            raise SetupError(f"ARENA_DATABASE_URL is malformed: {_reason(error)}.") from error
        if not isinstance(error.orig, InsufficientPrivilege):
            raise
        raise SetupError(
            f"The database refused a migration ({_reason(error)}): run `arena migrate` as the "
            "database's owner. `arena roles` prints the SQL that makes it, for a superuser."
        ) from error
    finally:
        engine.dispose()


def _reason(error: DBAPIError) -> str:
    return (str(error.orig).strip().splitlines() or ["it said nothing"])[0].rstrip(".")


def _current(connection: Connection) -> str | None:
    exists = connection.scalar(text("SELECT to_regclass('alembic_version') IS NOT NULL"))
    if not exists:
        return None
    version: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return version


def _upgrade(connection: Connection) -> None:
    # Imported here, because loading Alembic takes longer than the rest of most starts.
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    config.attributes["connection"] = connection
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    current = _current(connection)  # again: it may have changed while we waited for the lock
    if current is not None and current not in known:
        if current < FIRST:
            raise SetupError(
                f"The database has the schema {current}, from before the first release: start it "
                f"once with the arena of commit {LAST_BEFORE}, which upgrades it, or choose "
                "another ARENA_HOME."
            )
        raise SetupError(
            f"The database has the schema {current} of a newer release: install that release, or "
            "choose another ARENA_HOME."
        )
    command.upgrade(config, "head")
