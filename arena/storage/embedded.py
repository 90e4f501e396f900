"""The built-in Postgres server: nothing to install, nothing left behind.

    with EmbeddedPostgres(home / "postgres") as url:
        ...

The server belongs to the process that started it and dies with it, kill -9 included. Several
processes may use one home: the first one owns the server, the others find it running and connect.
When the owner ends, the server ends, and whoever comes next starts it again.

Who owns it is a lock on a file beside the data directory. The server inherits the open file, so
the lock is free only once owner *and* server (or a half-done initdb) are gone: holding it means
that nobody else touches the data. A data directory is made under another name and renamed when it
is complete, so a half-made one is never taken for a whole one.

It is reached over a Unix socket in a directory that only its owner may enter, with a password from
a file that only its owner may read; there is no port.

While it is owned, a server that ends by itself (killed, or out of disk space) is started again.
"""

import contextlib
import fcntl
import os
import re
import secrets
import shutil
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType

from arena.processes import spawn, stop
from arena.storage.binaries import Binaries, find_binaries
from arena.storage.errors import DatabaseUnreachableError, DataDirectoryError, StorageError
from arena.storage.kept_running import KeptRunning
from arena.storage.private_home import make_private_home, not_writable
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
"""Seconds between looks whether somebody else's server is ready, or gone."""

_ACCESS = "local all all scram-sha-256\n"
"""The whole of pg_hba.conf: with the password, over the socket."""

_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "60",
    "wal_level": "minimal",  # nobody replicates a built-in database
    "max_wal_senders": "0",
    "jit": "off",  # our queries are over before it would have compiled them
    "log_checkpoints": "off",
    "autovacuum_naptime": "15s",  # plans are poor until a new database's rows are counted
    "timezone": "UTC",
}

_FORGETFUL = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


_LAST_WORDS_BYTES = 8_192
_WITHOUT_TIME = re.compile(r"^[-0-9]+ [:.0-9]+ \S+ \[\d+\] ")


class EmbeddedPostgres:
    """A server on one data directory, ours or already running; a context manager of its URL.

    `durable=False` is for tests: faster, and a crash of the machine may ruin the data. Enter it in
    the main thread, see `arena.processes`. Raises the errors of `arena.storage.errors`.
    """

    def __init__(self, data: Path, *, durable: bool = True) -> None:
        self._data = data.absolute()
        self._new = data.absolute().with_name(f"{data.name}.new")
        self._lock_file = data.absolute().with_name(f"{data.name}.lock")
        self._log = data.absolute().with_name(f"{data.name}.log")
        self._password_file = data.absolute().with_name(f"{data.name}.password")
        self._settings = _SETTINGS | ({} if durable else _FORGETFUL)
        self._durable = durable
        self._lock: int | None = None
        self._server: KeptRunning | None = None
        self._log_from = 0

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
        """Start the server or find it running; its URL for SQLAlchemy with psycopg."""
        try:
            return self._start_or_find(time.monotonic() + START_DEADLINE)
        except BaseException:  # Ctrl-C too: whatever was started must go
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the server if it is ours: open connections are cut, what was committed stays."""
        server, self._server = self._server, None
        if server is not None:
            # Fast shutdown; then immediate, which the next start recovers from.
            server.stop((signal.SIGINT, signal.SIGQUIT), patience=10.0)
            with contextlib.suppress(OSError):
                socket_directory(self._data).rmdir()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _start_or_find(self, deadline: float) -> str:
        while time.monotonic() < deadline:
            if self._take_lock():
                return self._start_own(deadline)
            # Running, or just starting, or just stopping after its owner's death.
            sockets, password = self._announced_sockets(), self._password()
            if sockets and password and answers(sockets, DATABASE, password):
                return url(sockets, password)
            time.sleep(_RETRY)
        raise DatabaseUnreachableError(
            f"Another process holds {self._data} but its Postgres does not answer: end it, or see "
            f"{self._log}."
        )

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

    def _start_own(self, deadline: float) -> str:
        major = self._made_by()
        binaries = find_binaries(major)
        if major is None:
            self._make_data(binaries)
        password = self._password() or self._set_password(binaries)
        self._require_password()
        sockets = socket_directory(self._data)
        settings = self._settings | {"unix_socket_directories": str(sockets)}
        arguments = [
            *(str(binaries.postgres), "-D", str(self._data)),
            *(word for name, value in settings.items() for word in ("-c", f"{name}={value}")),
        ]

        def start() -> subprocess.Popen[bytes]:
            make_private(sockets)
            self._forget_dead_server(sockets)
            # Fast shutdown: it ends in milliseconds and the next start has nothing to recover.
            return self._spawn(arguments, [self._data, sockets], signal.SIGINT)

        make_private(sockets)  # here as well: its error is for whoever starts us
        self._server = KeptRunning(
            start, lambda: answers(sockets, "postgres", password), self._last_words
        )
        match self._server.start(deadline - time.monotonic()):
            case None:
                raise DatabaseUnreachableError(
                    f"Postgres was not ready within {START_DEADLINE:.0f} seconds: see {self._log}."
                )
            case False:
                raise DatabaseUnreachableError(
                    f"Postgres did not start ({self._last_words()}): see {self._log}."
                )
        create_database(sockets, password)
        return url(sockets, password)

    def _made_by(self) -> int | None:
        """The major version that made the data directory; None when there is none yet."""
        try:
            return int((self._data / "PG_VERSION").read_text())
        except FileNotFoundError:
            if self._data.exists() and any(self._data.iterdir()):
                raise DataDirectoryError(
                    f"{self._data} is no database: move it away, or choose another directory with "
                    "ARENA_HOME."
                ) from None
            return None
        except (OSError, ValueError) as error:
            raise DataDirectoryError(
                f"{self._data} cannot be read as a database ({error}): move it away, or choose "
                "another directory with ARENA_HOME."
            ) from error

    def _make_data(self, binaries: Binaries) -> None:
        if self._new.exists():  # an owner died while making it
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
                *(str(binaries.initdb), "-D", str(self._new), "-U", USER, "--auth=reject"),
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

    def _password(self) -> str | None:
        """The password that the server asks for; None before its first start."""
        try:
            return self._password_file.read_text().strip() or None
        except FileNotFoundError:
            return None
        except OSError as error:
            raise not_writable(self._password_file, error) from error

    def _set_password(self, binaries: Binaries) -> str:
        """A new password, told the data directory by a server that only we can talk to.

        Data of a release that asked for none get theirs so, as those whose file was lost.
        """
        self._forget_dead_server(socket_directory(self._data))
        password = secrets.token_urlsafe(24)
        process = self._spawn(
            [str(binaries.postgres), "--single", "-D", str(self._data), "postgres"],
            [self._data],
            signal.SIGINT,
            stdin=subprocess.PIPE,
        )
        try:
            process.communicate(f"ALTER ROLE {USER} PASSWORD '{password}'\n".encode())
            if process.returncode != 0:
                raise StorageError(
                    f"Postgres could not set its password ({self._last_words()}): see {self._log}."
                )
        finally:
            stop(process, signal.SIGQUIT)
        new = self._password_file.with_name(f"{self._password_file.name}.new")
        try:
            new.unlink(missing_ok=True)
            with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:  # noqa: PTH123
                file.write(password + "\n")
            new.rename(self._password_file)
        except OSError as error:
            raise not_writable(new, error) from error
        return password

    def _require_password(self) -> None:
        access = self._data / "pg_hba.conf"
        if access.read_text() != _ACCESS:
            access.write_text(_ACCESS)

    def _spawn(
        self,
        arguments: list[str],
        directories: list[Path],
        death_signal: signal.Signals,
        stdin: int = subprocess.DEVNULL,
    ) -> subprocess.Popen[bytes]:
        assert self._lock is not None  # the inherited lock is what protects the data
        with self._log.open("ab") as log:
            self._log_from = log.tell()
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

    def _forget_dead_server(self, sockets: Path) -> None:
        """Remove the pid files of a server that was killed, unless that pid is a Postgres.

        Where pids start anew (a container) the number soon names some other process, and Postgres
        would refuse to start beside it. We hold the lock, so it was no server of ours.
        """
        for pid_file in (self._data / "postmaster.pid", sockets / ".s.PGSQL.5432.lock"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                pid = int(pid_file.read_text().splitlines()[0])
                if Path("/proc/self/comm").exists():
                    process = Path(f"/proc/{pid}/comm")
                    if not process.exists() or process.read_text().strip() != "postgres":
                        pid_file.unlink()

    def _announced_sockets(self) -> Path | None:
        """Where the running server listens, as it says itself: its owner's TMPDIR may differ."""
        try:
            sockets = Path((self._data / "postmaster.pid").read_text().splitlines()[4])
        except (OSError, IndexError):
            return None
        return sockets if sockets.is_absolute() else None  # it is written line by line

    def _last_words(self) -> str:
        """Why the run that began last ended, as its log says."""
        try:
            with self._log.open("rb") as log:
                log.seek(max(self._log_from, log.seek(0, os.SEEK_END) - _LAST_WORDS_BYTES))
                lines = log.read().decode(errors="replace").splitlines()
        except OSError:
            lines = []
        fatal = [line for line in lines if "PANIC" in line or "FATAL" in line or "error:" in line]
        said = (fatal or lines or ["it said nothing"])[-1]
        return _WITHOUT_TIME.sub("", said).strip().rstrip(".")
