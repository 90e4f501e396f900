"""A backup holds all that an arena knows as of one moment, and is restored whole or not at all."""

import asyncio
import hashlib
import json
import stat
import threading
import zipfile
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.errors import InsufficientPrivilege

from arena.database.backup import RUNNING, back_up, read_manifest, restore
from arena.database.errors import BackupError, DatabaseUnreachableError
from arena.database.roles import READER_ROLE
from arena.database.schema import HEAD
from arena.server.app.store import open_store
from tests.databases import execute, named, plain
from tests.recorded_results import block, finished


async def fill(url: str, matches: int = 3) -> None:
    async with open_store(url) as store:
        bots = [(await store.register(name, "ada"))[0] for name in ("one", "two")]
        versions = [bot.version_id for bot in bots]
        await store.record([finished(versions, block()) for _ in range(matches)])
        await store.signer()


def rows(url: str, table: str) -> list[Any]:
    statement = sql.SQL("SELECT t::text FROM {} AS t ORDER BY 1")
    with psycopg.connect(plain(url)) as connection:
        return connection.execute(statement.format(sql.Identifier(*table.split(".")))).fetchall()


@pytest.mark.slow
def test_all_that_is_known_is_restored_and_each_role_sees_what_it_saw(
    database: str, empty_database: str, tmp_path: Path
) -> None:
    asyncio.run(fill(database))
    file = tmp_path / "arena.backup"
    made = back_up(database, file)
    assert read_manifest(file) == made
    assert (made.revision, made.rows["matches"], made.rows["bots"]) == (HEAD, 3, 2)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == [file.name]
    assert restore(empty_database, file) == made
    assert tables(empty_database) == tables(database)
    assert "procrastinate.procrastinate_jobs" in tables(database)
    for table in made.rows:
        assert rows(empty_database, table) == rows(database, table), table
    assert {*made.rows, *RUNNING} == {*tables(database)}
    assert rows(empty_database, "signing_secret")
    assert rights(empty_database) == rights(database)
    with psycopg.connect(plain(empty_database)) as connection:
        connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(READER_ROLE)))
        assert connection.execute("SELECT count(*) FROM matches").fetchone() == (3,)
        with pytest.raises(InsufficientPrivilege):
            connection.execute("SELECT * FROM tokens")
    # New bots and matches get ids of their own.
    asyncio.run(fill_more(empty_database))
    assert len(rows(empty_database, "matches")) == 4


def rights(url: str) -> list[Any]:
    """The rights of each role on tables, columns, functions and schemas."""
    with psycopg.connect(plain(url)) as connection:
        return connection.execute(
            "SELECT relname, relacl::text FROM pg_class WHERE relacl <> acldefault("
            "CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::\"char\", relowner) "
            "AND relnamespace::regnamespace::text IN ('public', 'procrastinate') "
            "UNION ALL SELECT attrelid::regclass || '.' || attname, attacl::text "
            "FROM pg_attribute WHERE attacl IS NOT NULL AND attrelid >= 16384 "
            "UNION ALL SELECT proname, proacl::text FROM pg_proc WHERE proacl IS NOT NULL "
            "AND pronamespace::regnamespace::text IN ('public', 'procrastinate') "
            "UNION ALL SELECT nspname, nspacl::text FROM pg_namespace "
            "WHERE nspname IN ('public', 'procrastinate') ORDER BY 1, 2"
        ).fetchall()


async def fill_more(url: str) -> None:
    async with open_store(url) as store:
        bots = [(await store.register(name, "bob"))[0] for name in ("three", "four")]
        await store.record([finished([bot.version_id for bot in bots], block())])


def test_nobody_who_may_write_to_the_folder_gets_to_read_it(database: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("theirs")
    file = tmp_path / "arena.backup"
    file.symlink_to(elsewhere)
    back_up(database, file)
    assert (elsewhere.read_text(), file.is_symlink()) == ("theirs", False)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_it_is_of_one_moment_while_results_are_recorded(
    database: str, empty_database: str, tmp_path: Path
) -> None:
    asyncio.run(fill(database))
    stop = threading.Event()

    async def record() -> None:
        async with open_store(database) as store:
            bots = [(await store.register(name, "eve"))[0] for name in ("five", "six")]
            while not stop.is_set():
                await store.record([finished([bot.version_id for bot in bots], block())])

    recording = threading.Thread(target=lambda: asyncio.run(record()))
    recording.start()
    try:
        made = back_up(database, tmp_path / "arena.backup")
    finally:
        stop.set()
        recording.join()
    restore(empty_database, tmp_path / "arena.backup")
    assert len(rows(empty_database, "matches")) == made.rows["matches"]
    assert made.rows["transcripts"] == made.rows["matches"] < len(rows(database, "matches"))


def test_who_is_playing_now_is_left_out(database: str, empty_database: str, tmp_path: Path) -> None:
    asyncio.run(fill(database))
    execute(database, "INSERT INTO leases (process) VALUES ('gone')")
    back_up(database, tmp_path / "arena.backup")
    restore(empty_database, tmp_path / "arena.backup")
    assert rows(database, "leases")
    assert not rows(empty_database, "leases")


def tables(url: str) -> list[str]:
    """All tables, also those of the queue of shifts, with the schema unless it is `public`."""
    with psycopg.connect(plain(url)) as connection:
        found = connection.execute(
            "SELECT schemaname, tablename FROM pg_tables "
            "WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2"
        )
        return [table if schema == "public" else f"{schema}.{table}" for schema, table in found]


def changed(file: Path, manifest: dict[str, object] | None = None, dump: bytes = b"") -> None:
    """Write a backup anew with another manifest or a changed dump."""
    with zipfile.ZipFile(file) as archive:
        kept = {name: archive.read(name) for name in ("manifest.json", "dump")}
    found = json.loads(kept["manifest.json"]) | (manifest or {})
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("manifest.json", json.dumps(found))
        archive.writestr("dump", kept["dump"] + dump)


def test_what_is_no_backup_of_this_release_changes_nothing(
    database: str, empty_database: str, tmp_path: Path
) -> None:
    file = tmp_path / "arena.backup"
    file.write_text("nothing")
    with pytest.raises(BackupError, match="is no backup of an arena"):
        restore(empty_database, file)
    with pytest.raises(BackupError, match="No such file"):
        restore(empty_database, tmp_path / "missing")
    back_up(database, file)
    changed(file, dump=b"more")
    with pytest.raises(BackupError, match="is damaged"):
        restore(empty_database, file)
    with zipfile.ZipFile(file, "w") as archive:
        nothing = hashlib.sha256(b"no dump").hexdigest()
        found = {"revision": HEAD, "release": "1", "made_at": "2026-01-01", "sha256": nothing}
        archive.writestr("manifest.json", json.dumps(found | {"rows": {}}))
    with pytest.raises(BackupError, match="cannot be read"):
        restore(empty_database, file)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("dump", "no dump")
    with pytest.raises(BackupError, match="Postgres's pg_restore failed"):
        restore(empty_database, file)
    back_up(database, file)
    changed(file, {"revision": "9999", "release": "99.0"})
    with pytest.raises(BackupError, match=r"release 99\.0, whose schema is newer"):
        restore(empty_database, file)
    changed(file, {"revision": "0048"})
    with pytest.raises(BackupError, match="from before the first release: restore it with the"):
        restore(empty_database, file)
    assert tables(empty_database) == []


def test_an_arena_is_never_overwritten(database: str, other_database: str, tmp_path: Path) -> None:
    asyncio.run(fill(other_database))
    back_up(database, tmp_path / "arena.backup")
    before = rows(other_database, "matches")
    with pytest.raises(BackupError, match="There is an arena already"):
        restore(other_database, tmp_path / "arena.backup")
    assert rows(other_database, "matches") == before


def test_rows_that_are_missing_afterwards_are_told(
    database: str, empty_database: str, tmp_path: Path
) -> None:
    asyncio.run(fill(database))
    file = tmp_path / "arena.backup"
    made = back_up(database, file)
    changed(file, {"rows": {**made.rows, "matches": 4}})
    with pytest.raises(BackupError, match="matches has 3 rows, and 4 in the backup"):
        restore(empty_database, file)


def test_without_an_answer_no_file_is_left(tmp_path: Path, database: str) -> None:
    with pytest.raises(DatabaseUnreachableError):
        back_up(named(database, "nowhere"), tmp_path / "arena.backup")
    assert [*tmp_path.iterdir()] == []
    with pytest.raises(BackupError, match="cannot be written: No such file"):
        back_up(database, tmp_path / "missing" / "arena.backup")
