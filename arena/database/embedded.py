"""`EmbeddedPostgres`: the built-in Postgres server, which ends with the process that started it.

    with EmbeddedPostgres(home / "postgres") as url:
        ...

The server belongs to the process that started it and dies with it, even after kill -9. Several
processes may use one home: the first owns the server, the others find it running and connect. When
the owner ends, the server ends, and one of the others starts it again within a second; without
others, the next process does.

The owner holds a lock on a file next to the data directory. The server inherits the open file, so
the lock is free only after the owner *and* the server (or an unfinished initdb) have ended: a
process that holds it knows that no other process uses the data. A data directory is created under
another name and renamed when it is complete, so that an incomplete one is never used.

The server has no port. It listens on a Unix socket in a directory that only its user may enter, and
asks for a password from a file that only this user may read. Its roles are those of `roles.sql`,
none of them a superuser: the superuser works before the server starts, and cannot connect.

A server that ends while its owner runs (killed, or out of disk space) is started again.
"""

import fcntl
import os
import signal
import sys
import threading
import time
from pathlib import Path
from types import TracebackType

import structlog

from arena.database.binaries import find_binaries
from arena.database.data_directory import DataDirectory, ServerLog
from arena.database.errors import DatabaseUnreachableError, StorageError
from arena.database.kept_running import KeptRunning
from arena.database.private_home import make_private_home, not_writable, private_log
from arena.database.private_socket import answers, make_private, socket_directory, url
from arena.processes import DEVNULL, Process, forget_libpq_variables, spawn

START_DEADLINE = 60.0
"""The seconds that a start may take.

A start usually takes half a second, but longer on a slow disk or for recovery after a crash.
"""

INHERIT_SECONDS = 0.5
"""Seconds between checks whether the owner is gone, in a process that found the server running."""
_INHERIT_DEADLINE = 5.0
"""Seconds for which the heir waits for the server that it started to answer.

After that, the start continues in the background, so that this process can always be stopped.
"""

_RETRY = 0.01
"""Seconds between checks whether another process's server is ready, or gone."""

_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "60",
    "wal_level": "minimal",  # a built-in database is not replicated
    "max_wal_senders": "0",
    "jit": "off",  # our queries end before it would have compiled them
    "log_checkpoints": "off",
    "autovacuum_naptime": "15s",  # plans are poor until a new database has statistics
    "timezone": "UTC",
}

_SYNC_AT_ONCE = {"recovery_init_sync_method": "syncfs"}
"""After a crash, syncs the whole file system in one call; file by file takes many seconds."""
_FORGETFUL = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

log = structlog.get_logger()


def in_use(data: Path) -> bool:
    """Return whether a process runs the server on a data directory, or makes the directory."""
    try:
        with _lock_of(data).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _lock_of(data: Path) -> Path:
    return data.absolute().with_name(f"{data.name}.lock")


class EmbeddedPostgres:
    """A server on one data directory, started by this process or already running.

    As a context manager, it yields its URL. `durable=False` is for tests: faster, but a crash of
    the machine may ruin the data. Enter it in the main thread, see `arena.processes`. Raises the
    errors of `arena.database.errors`.
    """

    def __init__(self, data: Path, *, durable: bool = True) -> None:
        self._data = data.absolute()
        self._lock_file = _lock_of(data)
        self._log = ServerLog(data.absolute().with_name(f"{data.name}.log"))
        self._directory = DataDirectory(self._data, self._log, durable=durable)
        self._settings = _SETTINGS | ({} if durable else _FORGETFUL)
        self._lock: int | None = None
        self._server: KeptRunning | None = None
        self._stopping = threading.Event()
        self._heir: threading.Thread | None = None

    @property
    def owned(self) -> bool:
        """Whether this process runs the server, rather than having found it running."""
        return self._server is not None

    def __enter__(self) -> str:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> str:
        """Start the server or find it running; return its URL for SQLAlchemy with psycopg.

        Removes libpq's variables from the environment of this process and its later children.
        """
        forget_libpq_variables()
        try:
            return self._start_or_find(time.monotonic() + START_DEADLINE)
        except BaseException:  # Ctrl-C too: everything started must be stopped
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the server if it is ours: connections are closed, committed data stays."""
        self._stopping.set()
        if self._heir is not None:
            self._heir.join()
        server, self._server = self._server, None
        if server is not None:
            # Fast shutdown; then immediate, which the next start recovers from.
            server.stop((signal.SIGINT, signal.SIGQUIT), patience=10.0)
        self._release_lock()

    def _release_lock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _start_or_find(self, deadline: float) -> str:
        while time.monotonic() < deadline:
            if self._take_lock():
                return self._start_own(deadline)
            # The server runs, is starting, or is stopping after its owner's death.
            sockets, password = self._directory.announced_sockets(), self._directory.password()
            if sockets and password and answers(sockets, password):
                self._heir = threading.Thread(
                    target=self._inherit, args=[sockets], name="heir", daemon=True
                )
                self._heir.start()
                return url(sockets, password)
            time.sleep(_RETRY)
        raise DatabaseUnreachableError(
            f"Another process holds {self._data} but its Postgres does not answer: end it, or see "
            f"{self._log.path}."
        )

    def _inherit(self, sockets: Path) -> None:
        """Wait until the owner is gone, then run the server at the same address."""
        while not self._stopping.wait(INHERIT_SECONDS):
            try:
                if self._take_lock():
                    log.warning("the process that ran the database is gone: this one runs it now")
                    self._start_own(time.monotonic() + _INHERIT_DEADLINE, sockets)
                    return
            except (OSError, StorageError) as error:
                log.error("the database does not start yet", why=str(error))
                if self._server is not None:
                    return  # `KeptRunning` tries again by itself
                self._release_lock()

    def _take_lock(self) -> bool:
        make_private_home(self._data.parent)
        try:
            lock = os.open(self._lock_file, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise not_writable(self._data.parent, error) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return False
        except BaseException:
            os.close(lock)
            raise
        self._lock = lock
        return True

    def _start_own(self, deadline: float, sockets: Path | None = None) -> str:
        directory = self._directory
        major = directory.made_by()
        binaries = find_binaries(major)
        if major is None:
            directory.make(binaries, self._spawn)
        sockets = sockets or socket_directory(self._data.with_name(f"{self._data.name}.sockets"))
        directory.forget_dead_server(sockets)
        password = directory.password()
        if password is None or not directory.has_roles():
            password = directory.make_roles(binaries, self._spawn)
        settings = self._settings | {"unix_socket_directories": str(sockets)}
        if sys.platform == "linux" and binaries.major >= 14:
            settings |= _SYNC_AT_ONCE
        arguments = [
            *(str(binaries.postgres), "-D", str(self._data)),
            *(word for name, value in settings.items() for word in ("-c", f"{name}={value}")),
        ]

        def start() -> Process:
            make_private(sockets)
            directory.forget_dead_server(sockets)
            # SIGINT: a fast shutdown takes milliseconds, and the next start needs no recovery.
            return self._spawn(arguments, [self._data, sockets], signal.SIGINT)

        make_private(sockets)  # here as well, to raise its error to our caller
        self._server = KeptRunning(start, lambda: answers(sockets, password), self._log.last_words)
        match self._server.start(deadline - time.monotonic()):
            case None:
                raise DatabaseUnreachableError(
                    f"Postgres was not ready within {START_DEADLINE:.0f} seconds: "
                    f"see {self._log.path}."
                )
            case False:
                raise DatabaseUnreachableError(
                    f"Postgres did not start ({self._log.last_words()}): see {self._log.path}."
                )
        return url(sockets, password)

    def _spawn(
        self,
        arguments: list[str],
        directories: list[Path],
        death_signal: signal.Signals,
        stdin: int = DEVNULL,
    ) -> Process:
        assert self._lock is not None  # the inherited lock protects the data
        self._log.begin()
        with private_log(self._log.path, append=True) as log:
            return spawn(
                arguments,
                cwd=Path("/"),
                stdin=stdin,
                stdout=log,
                stderr=log,
                death_signal=death_signal,
                keep_open=[self._lock],
                hand_over=directories,
                thread_outlives_it=True,
            )
