"""`EmbeddedPostgres`: the built-in Postgres server, which ends with the process that started it.

    with EmbeddedPostgres(home / "postgres") as url:
        ...

The server belongs to the process that started it and dies with it, kill -9 included. Several
processes may use one home: the first one owns the server, the others find it running and connect.
When the owner ends, the server ends; the next process starts it again.

The owner holds a lock on a file next to the data directory. The server inherits the open file, so
the lock is free only once owner *and* server (or an unfinished initdb) are gone: holding it means
that no other process uses the data. A data directory is created under another name and renamed when
it is complete, so that an incomplete one is never used.

Clients connect over a Unix socket in a directory that only its owner may enter; there is no port.
"""

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType

from arena.processes import spawn, stop
from arena.storage.binaries import Binaries, find_binaries
from arena.storage.errors import (
    DatabaseUnreachableError,
    DataDirectoryError,
    HomeNotWritableError,
    StorageError,
)
from arena.storage.private_socket import (
    DATABASE,
    USER,
    answers,
    create_database,
    make_private,
    socket_directory,
    url,
)

START_DEADLINE = 60.0
"""Seconds. A start takes half a second; a slow disk, or recovery after a crash, takes longer."""

_RETRY = 0.01
"""Seconds between attempts to connect: the server does not report when it is ready."""

_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "60",
    "wal_level": "minimal",  # a built-in database is not replicated
    "max_wal_senders": "0",
    "jit": "off",  # our queries end before it would have compiled them
    "log_checkpoints": "off",
    "autovacuum_naptime": "15s",  # plans are poor until a new database's rows are counted
    "timezone": "UTC",
}

_FORGETFUL = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class EmbeddedPostgres:
    """A server on one data directory, ours or already running; as a context manager, gives its URL.

    `durable=False` is for tests: faster, but a crash of the machine may ruin the data. Enter it in
    the main thread, see `arena.processes`. Raises the errors of `arena.storage.errors`.
    """

    def __init__(self, data: Path, *, durable: bool = True) -> None:
        self._data = data.absolute()
        self._new = data.absolute().with_name(f"{data.name}.new")
        self._lock_file = data.absolute().with_name(f"{data.name}.lock")
        self._log = data.absolute().with_name(f"{data.name}.log")
        self._settings = _SETTINGS | ({} if durable else _FORGETFUL)
        self._durable = durable
        self._lock: int | None = None
        self._server: subprocess.Popen[bytes] | None = None

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
        """Start the server or find it running. Returns its URL for SQLAlchemy with psycopg."""
        try:
            return self._start_or_find(time.monotonic() + START_DEADLINE)
        except BaseException:  # Ctrl-C too: everything started must be stopped
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the server if it is ours: connections are closed, committed data stays."""
        server, self._server = self._server, None
        if server is not None:
            # Fast shutdown; then immediate, which the next start recovers from.
            stop(server, signal.SIGINT, signal.SIGQUIT, patience=10.0)
            with contextlib.suppress(OSError):
                socket_directory(self._data).rmdir()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _start_or_find(self, deadline: float) -> str:
        while time.monotonic() < deadline:
            if self._take_lock():
                return self._start_own(deadline)
            # Running, or starting, or stopping after its owner ended.
            if (sockets := self._announced_sockets()) and answers(sockets, DATABASE):
                return url(sockets)
            time.sleep(_RETRY)
        raise DatabaseUnreachableError(
            f"Another process holds {self._data} but its Postgres does not answer: end it, or see "
            f"{self._log}."
        )

    def _take_lock(self) -> bool:
        try:
            self._data.parent.mkdir(parents=True, exist_ok=True)
            lock = os.open(self._lock_file, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise HomeNotWritableError(
                f"Cannot write to {self._data.parent} ({error.strerror}): "
                "choose another directory with ARENA_HOME."
            ) from error
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

    def _start_own(self, deadline: float) -> str:
        major = self._made_by()
        binaries = find_binaries(major)
        if major is None:
            self._make_data(binaries)
        self._forget_dead_server()
        sockets = socket_directory(self._data)
        make_private(sockets)
        settings = self._settings | {"unix_socket_directories": str(sockets)}
        self._server = self._spawn(
            [
                *(str(binaries.postgres), "-D", str(self._data)),
                *(word for name, value in settings.items() for word in ("-c", f"{name}={value}")),
            ],
            [self._data, sockets],
            # Fast shutdown: it ends in milliseconds and the next start has nothing to recover.
            signal.SIGINT,
        )
        while time.monotonic() < deadline:
            if answers(sockets, "postgres"):
                create_database(sockets)
                return url(sockets)
            if self._server.poll() is not None:
                raise DatabaseUnreachableError(
                    f"Postgres did not start ({self._last_words()}): see {self._log}."
                )
            time.sleep(_RETRY)
        raise DatabaseUnreachableError(
            f"Postgres was not ready within {START_DEADLINE:.0f} seconds: see {self._log}."
        )

    def _made_by(self) -> int | None:
        """The major version that created the data directory; None if there is none yet."""
        try:
            return int((self._data / "PG_VERSION").read_text())
        except FileNotFoundError:
            if self._data.exists() and any(self._data.iterdir()):
                raise DataDirectoryError(
                    f"{self._data} is not a database: move it away, or choose another directory "
                    "with ARENA_HOME."
                ) from None
            return None
        except (OSError, ValueError) as error:
            raise DataDirectoryError(
                f"{self._data} cannot be read as a database ({error}): move it away, or choose "
                "another directory with ARENA_HOME."
            ) from error

    def _make_data(self, binaries: Binaries) -> None:
        if self._new.exists():  # an owner ended while creating it
            shutil.rmtree(self._new)
        self._new.mkdir(mode=0o700)
        # Builtin, because the wheel is built without ICU and the system's locales vary.
        locale = (
            ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
            if binaries.major >= 17
            else ["--locale=C.UTF-8"]
        )
        process = self._spawn(
            [
                *(str(binaries.initdb), "-D", str(self._new), "-U", USER, "--auth=trust"),
                *("--encoding=UTF8", "--no-instructions", *locale),
                *([] if self._durable else ["--no-sync"]),
            ],
            [self._new],
            signal.SIGKILL,
        )
        try:
            if process.wait() != 0:
                raise StorageError(
                    f"Postgres could not make its data directory ({self._last_words()}): "
                    f"see {self._log}."
                )
        finally:
            stop(process, signal.SIGKILL)
        self._new.rename(self._data)

    def _spawn(
        self, arguments: list[str], directories: list[Path], death_signal: signal.Signals
    ) -> subprocess.Popen[bytes]:
        assert self._lock is not None  # the inherited lock is what protects the data
        with self._log.open("ab") as log:
            return spawn(
                arguments,
                cwd=Path("/"),
                stdout=log,
                stderr=log,
                death_signal=death_signal,
                keep_open=[self._lock],
                hand_over=directories,
            )

    def _forget_dead_server(self) -> None:
        """Remove the pid file of a server that was killed, unless that pid is a Postgres.

        Where pids are reused soon (a container) the number may be another process's, and Postgres
        would refuse to start. We hold the lock, so that process is not our server.
        """
        pid_file = self._data / "postmaster.pid"
        with contextlib.suppress(OSError, ValueError, IndexError):
            pid = int(pid_file.read_text().splitlines()[0])
            if Path("/proc/self/comm").exists():
                process = Path(f"/proc/{pid}/comm")
                if not process.exists() or process.read_text().strip() != "postgres":
                    pid_file.unlink()

    def _announced_sockets(self) -> Path | None:
        """The running server's socket directory, from its pid file: its TMPDIR may differ."""
        try:
            sockets = Path((self._data / "postmaster.pid").read_text().splitlines()[4])
        except (OSError, IndexError):
            return None
        return sockets if sockets.is_absolute() else None  # it is written line by line

    def _last_words(self) -> str:
        lines = self._log.read_text(errors="replace").splitlines() if self._log.exists() else []
        fatal = [line for line in lines if "FATAL" in line or "error:" in line]
        return ((fatal or lines or ["it said nothing"])[-1]).strip().rstrip(".")
