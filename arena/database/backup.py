"""A backup of an arena's database in one file, made while the arena runs, and its restoration.

The file is a ZIP archive, uncompressed, of two members: `dump`, as `pg_dump --format=custom` writes
it, and `manifest.json`, with the schema's revision, the release, the time, the SHA-256 of the dump
and the number of rows of each table. Rows are counted in the snapshot of the dump.

Tables that only hold who is playing now (`RUNNING`) are left out: otherwise a restored arena would
continue matches that have ended elsewhere.
"""

import hashlib
import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import psycopg
from psycopg import sql
from sqlalchemy import make_url

from arena.database.binaries import find_binaries
from arena.database.errors import BackupError, DatabaseUnreachableError
from arena.database.schema import FIRST, HEAD, LAST_BEFORE, migrate
from arena.processes import PIPE, SubprocessError, own_environment, run_to_end

RUNNING: Final = (
    "leases",
    "presence",
    "recorded_batches",
    "running_blocks",
    "running_matches",
    "running_replies",
    "untold_ends",
)
"""The tables whose rows are not in a backup."""
_DUMP: Final = "dump"
_MANIFEST: Final = "manifest.json"
_EVERYWHERE: Final = re.compile(r" (SCHEMA|COMMENT|ACL) - (SCHEMA )?public | ACL pg_catalog ")
"""The lines of `pg_restore --list` that are not restored: the schema `public`, and the rights on
Postgres's own functions, which `arena roles` has already revoked.
"""
_NONE: Final = "The file is no backup of an arena"


@dataclass(frozen=True, slots=True)
class BackupManifest:
    """The contents of `manifest.json`."""

    revision: str
    """The revision of the schema."""
    release: str
    """The release of the arena that made the backup."""
    made_at: datetime
    sha256: str
    """The SHA-256 of the dump."""
    rows: Mapping[str, int]
    """The number of rows by table; a table outside the schema `public` is called schema.table."""


def back_up(url: str, file: Path) -> BackupManifest:
    """Write a backup of a migrated database; the file appears only when it is complete.

    Raises:
        BackupError: `pg_dump` failed, or the file cannot be written.
        DatabaseUnreachableError: The database does not answer.
    """
    try:
        with (
            _connection(url) as connection,
            TemporaryDirectory(dir=file.absolute().parent) as place,
        ):
            dump = Path(place) / _DUMP
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            made_at = datetime.now(UTC)
            (snapshot,) = _row(connection, sql.SQL("SELECT pg_export_snapshot()"))
            _run(
                *("pg_dump", url, "--format=custom", "--no-owner"),
                f"--snapshot={snapshot}",
                *(f"--exclude-table-data={table}" for table in RUNNING),
                f"--file={dump}",
            )
            manifest = BackupManifest(
                HEAD,
                version("bluff-arena"),
                made_at,
                _digest(dump),
                {name: _count(connection, name) for name in _tables(connection)},
            )
            # In a directory of our own, so that nobody else can create or read the file.
            part = Path(place) / "part"
            with zipfile.ZipFile(part, "w") as archive:
                archive.writestr(_MANIFEST, _text(manifest))
                archive.write(dump, _DUMP)
            part.chmod(0o600)
            part.replace(file)
    except OSError as error:
        raise BackupError(f"{file} cannot be written: {error.strerror}.") from error
    return manifest


def restore(url: str, file: Path) -> BackupManifest:
    """Restore a backup into an empty database, check it, and migrate it to this release's schema.

    Raises:
        BackupError: The file is no backup or is damaged, the database is not empty, or `pg_restore`
            failed; the database is then unchanged. Or a table's number of rows differs from the
            manifest; the database must then not be used.
        DatabaseUnreachableError: The database does not answer.
    """
    manifest = read_manifest(file)
    if manifest.revision > HEAD:
        raise BackupError(
            f"{file} was made by release {manifest.release}, whose schema is newer: restore it "
            "with that release or a later one."
        )
    if manifest.revision < FIRST:
        raise BackupError(
            f"{file} is from before the first release: restore it with the arena of commit "
            f"{LAST_BEFORE}, and back it up there."
        )
    with _connection(url) as connection:
        if _row(connection, sql.SQL("SELECT to_regclass('public.alembic_version')")) != (None,):
            raise BackupError(
                "There is an arena already: restore into an empty ARENA_HOME, or an empty database."
            )
    try:
        with TemporaryDirectory() as place:
            with zipfile.ZipFile(file) as archive:
                dump = Path(archive.extract(_DUMP, place))
            if _digest(dump) != manifest.sha256:
                raise BackupError(f"{file} is damaged: its SHA-256 differs from the one it names.")
            chosen = Path(place) / "chosen"
            chosen.write_text(_chosen(dump))
            _run(
                *("pg_restore", url, "--no-owner", "--exit-on-error", "--single-transaction"),
                *(f"--use-list={chosen}", str(dump)),
            )
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise BackupError(f"{file} cannot be read: {error}.") from error
    with _connection(url) as connection:
        for table, expected in manifest.rows.items():
            if (found := _count(connection, table)) != expected:
                raise BackupError(
                    f"{table} has {found:,} rows, and {expected:,} in the backup: remove what was "
                    "restored, and try again."
                )
    migrate(url)
    return manifest


def read_manifest(file: Path) -> BackupManifest:
    """Return the manifest of a backup. Raises BackupError."""
    try:
        with zipfile.ZipFile(file) as archive:
            found = json.loads(archive.read(_MANIFEST))
        return BackupManifest(
            str(found["revision"]),
            str(found["release"]),
            datetime.fromisoformat(found["made_at"]),
            str(found["sha256"]),
            {str(name): int(rows) for name, rows in found["rows"].items()},
        )
    except OSError as error:
        raise BackupError(f"{file} cannot be read: {error.strerror}.") from error
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, AttributeError) as error:
        raise BackupError(f"{_NONE}: {file}.") from error


def _text(manifest: BackupManifest) -> str:
    found = asdict(manifest) | {"made_at": manifest.made_at.isoformat()}
    return json.dumps(found, indent=2) + "\n"


def _tables(connection: "psycopg.Connection[Any]") -> list[str]:
    """Return the tables whose rows are in a backup."""
    found = connection.execute(
        "SELECT schemaname, tablename FROM pg_tables "
        "WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2"
    )
    names = [table if schema == "public" else f"{schema}.{table}" for schema, table in found]
    return [name for name in names if name not in RUNNING]


@contextmanager
def _connection(url: str) -> Iterator["psycopg.Connection[Any]"]:
    try:
        with psycopg.connect(_plain(url)) as connection:
            yield connection
    except psycopg.OperationalError as error:
        raise DatabaseUnreachableError(f"The database does not answer: {error}") from error


def _row(
    connection: "psycopg.Connection[Any]", statement: sql.SQL | sql.Composed
) -> tuple[Any, ...]:
    found = connection.execute(statement).fetchone()
    assert found is not None
    return tuple(found)


def _count(connection: "psycopg.Connection[Any]", table: str) -> int:
    *schema, name = table.split(".")
    place = sql.Identifier(*(schema or ["public"]), name)
    (count,) = _row(connection, sql.SQL("SELECT count(*) FROM {}").format(place))
    return int(count)


def _chosen(dump: Path) -> str:
    """Return the list of a dump's contents without the objects that every database has."""
    listed = _output([find_binaries().directory / "pg_restore", "--list", dump]).decode()
    return "".join(
        line for line in listed.splitlines(keepends=True) if not _EVERYWHERE.search(line)
    )


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _plain(url: str) -> str:
    """Return the URL in the form that libpq accepts."""
    place = make_url(url).set(drivername="postgresql")
    return place.render_as_string(hide_password=False)


def _run(program: str, url: str, *arguments: str) -> None:
    """Run a program of Postgres on a database; its password is not among the arguments.

    Raises BackupError.
    """
    place = make_url(url).set(drivername="postgresql")
    password = {"PGPASSWORD": str(place.password)} if place.password else None
    environment = own_environment(password)
    # `_replace`, because `set` takes None to mean "unchanged".
    address = place._replace(password=None).render_as_string(hide_password=False)
    program_file = find_binaries().directory / program
    command: list[str | Path] = [program_file, f"--dbname={address}", *arguments]
    _output(command, environment)


def _output(command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> bytes:
    """Return what a program of Postgres prints. Raises BackupError."""
    try:
        return run_to_end(command, env=environment, stderr=PIPE)
    except SubprocessError as error:
        said = (getattr(error, "stderr", None) or b"").decode(errors="replace").strip()
        raise BackupError(f"Postgres's {Path(command[0]).name} failed: {said}") from error
