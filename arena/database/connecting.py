"""Connections that are given up instead of being waited for: how long anything may take.

A server that is gone is told by its machine, or by TCP's own timers. One that accepts bytes and
never answers (a proxy, a frozen process) is told by nobody: therefore a connection that waits for
an answer and has not received a byte for SILENCE_SECONDS is closed, which the caller sees as an
OperationalError like any other loss.
"""

import asyncio
import traceback
from time import monotonic
from typing import Any, Final, Self, TypeVar

import psycopg
from psycopg import pq
from psycopg.abc import PQGen

T = TypeVar("T")

CONNECT_SECONDS: Final = 4
SILENCE_SECONDS: Final = 8.0
"""Longer than any statement that is asked for while matches are played."""
PING_SECONDS: Final = 3.0
"""The same for the question, before a pooled connection is used, whether it still works. What
follows when it does not, a new connection, must also fit into the ten seconds."""
LONG_SECONDS: Final = 300.0
"""The same for what may work on all of a large database: counts at the start, migrations."""
POOL_SECONDS: Final = 5.0
"""How long a caller waits for a free connection of a pool."""

PARAMETERS: Final[dict[str, Any]] = {
    "connect_timeout": CONNECT_SECONDS,
    # Unanswered probes or bytes: a machine that vanished.
    "keepalives_idle": 4,
    "keepalives_interval": 2,
    "keepalives_count": 2,
    "tcp_user_timeout": 8_000,
}
"""Parameters of the driver; those in the database's URL have precedence."""

_REFEREE = {
    "statement_timeout": "8s",
    # Shorter: whoever waits for a lock is told so, instead of that the database is silent.
    "lock_timeout": "5s",
    # A frozen referee's locks are free again.
    "idle_in_transaction_session_timeout": "15s",
}
_READER = _REFEREE | {
    "statement_timeout": "60s",
    # That of a spinning disk, 4, lets Postgres go through all matches for the latest thousands.
    "random_page_cost": "2",
}
_MIGRATION = {"lock_timeout": "60s"}

REFEREE: Final = " ".join(f"-c {name}={value}" for name, value in _REFEREE.items())
READER: Final = " ".join(f"-c {name}={value}" for name, value in _READER.items())
"""Longer statements: what streams back for some time is not silent."""
MIGRATION: Final = " ".join(f"-c {name}={value}" for name, value in _MIGRATION.items())
"""Settings of a session, as the server's command line has them. Postgres ends what takes longer,
also when we are not there any more to do it."""


class ImpatientConnection(psycopg.Connection[Any]):
    """Gives up a server that is silent."""

    silence_seconds = SILENCE_SECONDS

    def wait(self, gen: PQGen[T], *rest: Any, **named: Any) -> T:
        """Wait as the parent does, for at most so many seconds without a byte."""
        return super().wait(_impatient(gen, self.pgconn, self.silence_seconds), *rest, **named)


class ImpatientAsyncConnection(psycopg.AsyncConnection[Any]):
    """Gives up a server that is silent."""

    silence_seconds = SILENCE_SECONDS

    @classmethod
    async def connect(cls, *words: Any, **named: Any) -> Self:
        """Connect as the parent does.

        An attempt that fails or is cancelled leaves no socket open: the server would wait a minute
        for us to log in, and drop no database meanwhile.
        """
        try:
            return await super().connect(*words, **named)
        except (asyncio.CancelledError, psycopg.Error) as error:
            # The driver's frames hold it in a cycle, until the next garbage collection.
            traceback.clear_frames(error.__traceback__)
            if error.__cause__ is not None:
                traceback.clear_frames(error.__cause__.__traceback__)
            raise

    async def wait(self, gen: PQGen[T], *rest: Any, **named: Any) -> T:
        """Wait as the parent does, for at most so many seconds without a byte."""
        patient = _impatient(gen, self.pgconn, self.silence_seconds)
        try:
            return await super().wait(patient, *rest, **named)
        except psycopg.OperationalError as error:
            if isinstance(error.__cause__, OSError):
                # The event loop cannot watch the socket: watches of epoll are the whole user's,
                # and other processes may have used them up. The statement is half done, so that
                # whoever took the connection from the pool next would fail, too.
                self.pgconn.finish()
            raise


class MigratingConnection(ImpatientConnection):
    """A connection for statements that may work on whole tables."""

    silence_seconds = LONG_SECONDS


async def connect(url: str, session: str = REFEREE) -> ImpatientAsyncConnection:
    """Return a connection of its own, outside any pool, that commits each statement."""
    given = psycopg.conninfo.conninfo_to_dict(url.replace("+psycopg", "", 1))
    options = f"{session} {given.pop('options', '')}".strip()
    return await ImpatientAsyncConnection.connect(
        autocommit=True, options=options, **PARAMETERS | given
    )


def _impatient(gen: PQGen[T], connection: pq.abc.PGconn, seconds: float) -> PQGen[T]:
    """Return what `gen` does, until nothing has come for so long.

    The driver asks ten times a second.
    """
    heard = monotonic()
    try:
        state = next(gen)
        while True:
            ready = yield state
            now = monotonic()
            if ready:
                heard = now
            elif now - heard > seconds:
                connection.finish()
                raise psycopg.OperationalError(f"it was silent for {seconds:g} s")
            state = gen.send(ready)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
