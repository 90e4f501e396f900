"""Connections that give up if the server is silent for too long.

If a server is gone, its machine or TCP's own timers report it. If a server (a proxy, a frozen
process) accepts bytes and never answers, nothing reports it. Therefore a connection that waits for
an answer and receives no byte for SILENCE_SECONDS is closed; the caller gets an OperationalError,
as for any other lost connection.
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
"""The longest silence of a server, longer than any statement that runs during play."""
PING_SECONDS: Final = 3.0
"""The longest silence when a pooled connection is pinged before use.

If the ping fails, a new connection is made; together both must take less than ten seconds.
"""
LONG_SECONDS: Final = 300.0
"""The longest silence for work on a whole large database: counts at the start, migrations."""
POOL_SECONDS: Final = 5.0
"""The longest wait for a free connection of a pool."""

PARAMETERS: Final[dict[str, Any]] = {
    "connect_timeout": CONNECT_SECONDS,
    # Unanswered probes or bytes mean that the machine vanished.
    "keepalives_idle": 4,
    "keepalives_interval": 2,
    "keepalives_count": 2,
    "tcp_user_timeout": 8_000,
}
"""Connection parameters of the driver; those in the database's URL have precedence."""

_REFEREE = {
    "statement_timeout": "8s",
    # Shorter than SILENCE_SECONDS, so that the error names the lock, not a silent database.
    "lock_timeout": "5s",
    # Frees the locks of a frozen referee.
    "idle_in_transaction_session_timeout": "15s",
}
_READER = _REFEREE | {
    "statement_timeout": "60s",
    # With the default for a spinning disk, 4, Postgres scans all matches to find the latest
    # thousands.
    "random_page_cost": "2",
}
_MIGRATION = {"lock_timeout": "60s"}

REFEREE: Final = " ".join(f"-c {name}={value}" for name, value in _REFEREE.items())
READER: Final = " ".join(f"-c {name}={value}" for name, value in _READER.items())
"""Settings of a reading session. Its statements may take longer, as a streamed result sends bytes
all the time.
"""
MIGRATION: Final = " ".join(f"-c {name}={value}" for name, value in _MIGRATION.items())
"""Settings of a migrating session, in the form of the server's command line.

Postgres itself enforces these limits, even after our process has ended.
"""


class ImpatientConnection(psycopg.Connection[Any]):
    """A connection that gives up a silent server."""

    silence_seconds = SILENCE_SECONDS

    def wait(self, gen: PQGen[T], *rest: Any, **named: Any) -> T:
        """Wait as the parent does, but for at most `silence_seconds` without a byte."""
        return super().wait(_impatient(gen, self.pgconn, self.silence_seconds), *rest, **named)


class ImpatientAsyncConnection(psycopg.AsyncConnection[Any]):
    """An asynchronous connection that gives up a silent server."""

    silence_seconds = SILENCE_SECONDS

    @classmethod
    async def connect(cls, *words: Any, **named: Any) -> Self:
        """Connect as the parent does, and leave no socket open if this fails or is cancelled.

        The server would wait a minute for the login, and could not drop the database meanwhile.
        """
        try:
            return await super().connect(*words, **named)
        except (asyncio.CancelledError, psycopg.Error) as error:
            # A reference cycle through the driver's frames keeps the socket open until the next
            # garbage collection.
            traceback.clear_frames(error.__traceback__)
            if error.__cause__ is not None:
                traceback.clear_frames(error.__cause__.__traceback__)
            raise

    async def wait(self, gen: PQGen[T], *rest: Any, **named: Any) -> T:
        """Wait as the parent does, but for at most `silence_seconds` without a byte."""
        patient = _impatient(gen, self.pgconn, self.silence_seconds)
        try:
            return await super().wait(patient, *rest, **named)
        except psycopg.OperationalError as error:
            if isinstance(error.__cause__, OSError):
                # The event loop cannot watch the socket: epoll's watches are limited per user,
                # and other processes may have used them up. The statement is unfinished, so the
                # next user of this pooled connection would fail, too.
                self.pgconn.finish()
            raise


class MigratingConnection(ImpatientConnection):
    """A connection for statements that may work on whole tables."""

    silence_seconds = LONG_SECONDS


async def connect(url: str, session: str = REFEREE) -> ImpatientAsyncConnection:
    """Return a new connection outside any pool that commits each statement."""
    given = psycopg.conninfo.conninfo_to_dict(url.replace("+psycopg", "", 1))
    options = f"{session} {given.pop('options', '')}".strip()
    return await ImpatientAsyncConnection.connect(
        autocommit=True, options=options, **PARAMETERS | given
    )


def _impatient(gen: PQGen[T], connection: pq.abc.PGconn, seconds: float) -> PQGen[T]:
    """Do what `gen` does, but give up when nothing is received for `seconds`.

    The driver resumes this generator ten times a second.
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
