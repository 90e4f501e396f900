"""The data directory of the built-in server: its creation, its roles, and removal of old pid files.

The caller must hold the lock on the directory, see `arena.database.embedded`.
"""

import contextlib
import os
import re
import secrets
import shutil
import signal
from pathlib import Path
from typing import Final, Protocol

from arena.database.binaries import Binaries
from arena.database.errors import DataDirectoryError, StorageError
from arena.database.private_home import not_writable
from arena.database.private_socket import DATABASE, USER, password_of
from arena.database.roles import READER_ROLE, WORKER_ROLE
from arena.processes import DEVNULL, PIPE, Process, stop

ROLES_SQL: Final = Path(__file__).with_name("roles.sql")
"""The script that makes the roles of a database; a superuser must run it."""

_SUPERUSER: Final = "postgres"
_ACCESS: Final = f"local {DATABASE} {USER},{READER_ROLE},{WORKER_ROLE} scram-sha-256\n"
"""The content of pg_hba.conf: only these roles may log in, by password over the socket."""
_END: Final = ";\n\n"
"""The end of a statement in the input of a single-user server."""

_LAST_WORDS_BYTES = 8_192
_WITHOUT_TIME = re.compile(r"^[-0-9]+ [:.0-9]+ \S+ \[\d+\] ")


class Run(Protocol):
    """A function that starts a Postgres program which holds the lock and writes to the log."""

    def __call__(
        self,
        arguments: list[str],
        directories: list[Path],
        death_signal: signal.Signals,
        stdin: int = DEVNULL,
    ) -> Process:
        """Start the program."""
        ...


class ServerLog:
    """The log file that Postgres writes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._from = 0

    def begin(self) -> None:
        """Note where the log ends now: the lines of the next program begin here."""
        with contextlib.suppress(OSError):
            self._from = self.path.stat().st_size

    def last_words(self) -> str:
        """Return why the latest run ended, according to its log."""
        try:
            with self.path.open("rb") as log:
                log.seek(max(self._from, log.seek(0, os.SEEK_END) - _LAST_WORDS_BYTES))
                lines = log.read().decode(errors="replace").splitlines()
        except OSError:
            lines = []
        fatal = [line for line in lines if "PANIC" in line or "FATAL" in line or "error:" in line]
        said = (fatal or lines or ["it said nothing"])[-1]
        return _WITHOUT_TIME.sub("", said).strip().rstrip(".")


class DataDirectory:
    """The data directory and the password file next to it."""

    def __init__(self, data: Path, log: ServerLog, *, durable: bool) -> None:
        self._data = data
        self._new = data.with_name(f"{data.name}.new")
        self._password_file = data.with_name(f"{data.name}.password")
        self._log = log
        self._durable = durable

    def made_by(self) -> int | None:
        """Return the major version that made the data directory, or None if there is none yet.

        Raises DataDirectoryError if the directory holds something else or cannot be read.
        """
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

    def make(self, binaries: Binaries, run: Run) -> None:
        """Make the data directory, completely or not at all. Raises StorageError."""
        if self._new.exists():  # a process died while making it
            shutil.rmtree(self._new)
        self._new.mkdir(mode=0o700)
        # The builtin provider, because the wheel is built without ICU and system locales vary.
        locale = (
            ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
            if binaries.major >= 17
            else ["--locale=C.UTF-8"]
        )
        process = run(
            [
                *(str(binaries.initdb), "-D", str(self._new), "-U", _SUPERUSER, "--auth=reject"),
                *("--encoding=UTF8", "--no-instructions", *locale),
                *([] if self._durable else ["--no-sync"]),
            ],
            [self._new],
            signal.SIGKILL,
        )
        try:
            if process.wait() != 0:
                raise StorageError(
                    f"Postgres could not make its data directory ({self._log.last_words()}): "
                    f"see {self._log.path}."
                )
        finally:
            stop(process, signal.SIGKILL)
        self._new.rename(self._data)

    def password(self) -> str | None:
        """Return the password that the server asks for, or None before its first start."""
        try:
            return self._password_file.read_text().strip() or None
        except FileNotFoundError:
            return None
        except OSError as error:
            raise not_writable(self._password_file, error) from error

    def has_roles(self) -> bool:
        """Return whether `make_roles` was completed, so that only the roles may connect."""
        return (self._data / "pg_hba.conf").read_text() == _ACCESS

    def make_roles(self, binaries: Binaries, run: Run) -> str:
        """Make the database and its roles; return the owner's new password.

        A single-user server, which only we can reach, does this as its superuser. This is repeated
        if the password was lost, or if the data is from a release whose only role was the
        superuser.
        """
        password = secrets.token_urlsafe(24)
        passwords = {USER: password} | {
            role: password_of(role, password) for role in (READER_ROLE, WORKER_ROLE)
        }
        told = [f"ALTER ROLE {role} PASSWORD '{word}'" for role, word in passwords.items()]
        # If the database already exists, Postgres refuses this; that is harmless.
        self._tell("postgres", f"CREATE DATABASE {DATABASE}{_END}", binaries, run)
        statements = ROLES_SQL.read_text() + "".join(f"\n{one}{_END}" for one in told)
        self._tell(DATABASE, statements, binaries, run, "-c", "exit_on_error=on")
        new = self._password_file.with_name(f"{self._password_file.name}.new")
        try:
            new.unlink(missing_ok=True)
            with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:  # noqa: PTH123
                file.write(password + "\n")
            new.rename(self._password_file)
        except OSError as error:
            raise not_writable(new, error) from error
        (self._data / "pg_hba.conf").write_text(_ACCESS)  # last: it marks all this as done
        return password

    def _tell(
        self, database: str, statements: str, binaries: Binaries, run: Run, *options: str
    ) -> None:
        # Failed statements are not logged, as they may contain a password.
        options = ("-c", "log_min_error_statement=panic", *options)
        process = run(
            [str(binaries.postgres), "--single", "-j", "-D", str(self._data), *options, database],
            [self._data],
            signal.SIGINT,
            stdin=PIPE,
        )
        try:
            process.communicate(statements.encode())
            if process.returncode != 0:
                raise StorageError(
                    f"Postgres could not make its roles ({self._log.last_words()}): "
                    f"see {self._log.path}."
                )
        finally:
            stop(process, signal.SIGQUIT)

    def forget_dead_server(self, sockets: Path) -> None:
        """Remove the pid files of a server that was killed, unless that pid is a Postgres.

        Where pids start again from 1 (a container), another process soon gets the pid in the file,
        and Postgres would refuse to start. We hold the lock, so that process is not our server.
        """
        for pid_file in (self._data / "postmaster.pid", sockets / ".s.PGSQL.5432.lock"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                pid = int(pid_file.read_text().splitlines()[0])
                if Path("/proc/self/comm").exists():
                    process = Path(f"/proc/{pid}/comm")
                    if not process.exists() or process.read_text().strip() != "postgres":
                        pid_file.unlink()

    def announced_sockets(self) -> Path | None:
        """Return the socket directory that the running server announces, or None.

        The directory may differ from the one that we would choose, because the TMPDIR of the
        process that owns the server may differ.
        """
        try:
            sockets = Path((self._data / "postmaster.pid").read_text().splitlines()[4])
        except (OSError, IndexError):
            return None
        return sockets if sockets.is_absolute() else None  # the file is written line by line
