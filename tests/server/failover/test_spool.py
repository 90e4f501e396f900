"""What waits for the database outlives the process that played it."""

import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from structlog.testing import capture_logs

from arena.database.errors import SpoolFailedError
from arena.match.notes import Note, Usage
from arena.records import BlockEnd, TournamentBlock, TournamentId, VersionId
from arena.server.app.referees_store import RefereesStore, open_referees_store
from arena.server.app.spools import Spools, record_spooled
from arena.server.failover.spool import SpoolFile
from arena.server.play.ports import Happening
from tests import recorded_matches
from tests.recorded_results import block, finished, match_id
from tests.server.failover.spooled import add_record

VERSIONS = (VersionId(1), VersionId(2))
KEY = b"k" * 32


def files(directory: Path) -> list[Path]:
    return list(directory.iterdir())


def open_below(directory: Path) -> list[Path]:
    """The files below a directory that this process holds open."""
    opened = [one for one in Path("/proc/self/fd").iterdir() if one.is_symlink()]
    return [one for one in opened if one.readlink().is_relative_to(directory)]


NOTES = (Note(0, 1, "é", Usage(1, 2, 3, 4)), Note(1, 2, "…"))


def happenings() -> list[Happening]:
    of = block(2)
    opened = TournamentBlock(TournamentId(7), (1, 2), of)
    return [
        opened,
        finished(VERSIONS, of),
        replace(finished(VERSIONS, of, 1), notes=NOTES),
        BlockEnd(of.id, void=False),
    ]


async def test_what_was_kept_is_read_again_in_order_and_whole(tmp_path: Path) -> None:
    kept = [happenings(), happenings()]
    spool = SpoolFile(tmp_path / "spool")
    assert spool.read() == []
    for group in kept:
        await spool.append(group)
    assert SpoolFile(tmp_path / "spool").read() == [one for group in kept for one in group]
    assert (tmp_path / "spool").stat().st_mode & 0o777 == 0o600
    await spool.clear()
    assert not (tmp_path / "spool").exists()
    await spool.append(kept[0])
    assert spool.read() == kept[0]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_a_spool_holds_no_file_open(tmp_path: Path) -> None:
    spool = SpoolFile(tmp_path / "spool")
    for _ in range(3):
        await spool.append(happenings())
    assert open_below(tmp_path) == []


KILLED = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA cache_size = 1")  # so that it writes before it commits
for _ in range(100):
    connection.execute("INSERT INTO records (content) VALUES (?)", (bytes(10_000),))
os.kill(os.getpid(), signal.SIGKILL)
"""


def killed_in_writing(file: Path) -> None:
    """Leave a spool as a referee does that is killed while it appends."""
    before = file.stat().st_size
    done = subprocess.run([sys.executable, "-c", KILLED, str(file)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert file.stat().st_size > before
    assert file.with_name(f"{file.name}-journal").exists()


async def test_what_a_referee_was_killed_in_writing_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "spool"
    first, second = happenings()[:2]
    await SpoolFile(file).append([first])
    killed_in_writing(file)
    assert SpoolFile(file).read() == [first]
    killed_in_writing(file)
    await SpoolFile(file).append([second])
    assert SpoolFile(file).read() == [first, second]


async def test_a_spool_set_aside_or_cleared_takes_its_journal_along(tmp_path: Path) -> None:
    file = tmp_path / "results.spool"
    first, second = happenings()[:2]
    spool = SpoolFile(file)
    await spool.append([first])
    killed_in_writing(file)
    aside = await spool.set_aside("superseded")
    assert aside is not None
    assert files(tmp_path) == [aside]
    assert SpoolFile(aside).read() == [first]
    await spool.append([second])
    killed_in_writing(file)
    await spool.clear()
    assert files(tmp_path) == [aside]
    await spool.append([second])
    assert spool.read() == [second]


async def test_a_file_that_is_no_spool_is_an_error_that_names_it(tmp_path: Path) -> None:
    file = tmp_path / "spool"
    file.write_text("no database at all " * 100)
    with pytest.raises(SpoolFailedError, match="spool: file is not a database"):
        SpoolFile(file).read()
    assert file.read_text().startswith("no database")


async def test_a_spool_has_a_bound_and_keeps_all_of_a_group_or_none(tmp_path: Path) -> None:
    group = happenings()
    spool = SpoolFile(tmp_path / "spool", most_bytes=16_384)
    await spool.append(group)
    with pytest.raises(SpoolFailedError, match="full; it may hold 16384 bytes"):
        await spool.append(group * 20)
    assert spool.read() == group
    await spool.append(group)
    assert spool.read() == group * 2


@pytest.mark.slow
async def test_a_spool_holds_64_mebibytes_unless_told_otherwise(tmp_path: Path) -> None:
    match = finished(VERSIONS)
    spool = SpoolFile(tmp_path / "spool")
    with pytest.raises(SpoolFailedError, match="full; it may hold 67108864 bytes"):
        await spool.append([replace(match, written=bytes(64 << 20))])
    await spool.append([replace(match, written=bytes((64 << 20) - 100_000))])


async def test_what_follows_on_a_spool_that_was_set_aside_begins_a_new_file(
    tmp_path: Path,
) -> None:
    before, after = happenings(), happenings()
    spool = SpoolFile(tmp_path / "results.spool")
    await spool.append(before)
    aside = await spool.set_aside("refused")
    assert aside == tmp_path / "results.refused"
    assert await spool.set_aside("superseded") is None
    assert files(tmp_path) == [aside]
    await spool.append(after)
    assert SpoolFile(aside).read() == before
    assert spool.read() == after


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """As a disk that fills up in the middle of a write."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


async def test_a_full_disk_costs_nothing_that_was_kept_before(tmp_path: Path) -> None:
    spool = SpoolFile(tmp_path / "spool")
    before, after = happenings(), happenings()
    await spool.append(before)
    room = room_for((tmp_path / "spool").stat().st_size + 100)
    with room, pytest.raises(SpoolFailedError, match="spool: "):
        await spool.append(after)
    assert SpoolFile(tmp_path / "spool").read() == before
    await spool.append(after)
    assert SpoolFile(tmp_path / "spool").read() == before + after


async def test_what_is_spooled_is_recorded_once_however_often_it_is_read(
    tmp_path: Path, referee: RefereesStore, versions: tuple[VersionId, ...], sql: psycopg.Connection
) -> None:
    of = block(2)
    matches = [finished(versions[:2], of, position) for position in range(2)]
    await referee.record(matches[:1])  # as by a referee that was killed before it could clear
    spools = Spools(tmp_path, KEY)
    for _ in range(2):
        await spools.of(1).append(matches)
        await record_spooled(spools, {1}, referee)
        assert files(tmp_path) == []
    assert len(await recorded_matches.matches(referee)) == 2
    assert sql.execute("SELECT count(*) FROM rating_events").fetchone() == (2,)


@pytest.mark.parametrize(("void", "counted"), [(False, 1), (True, 0)])
async def test_a_block_whose_end_was_spooled_is_ended(
    void: bool,
    counted: int,
    tmp_path: Path,
    referee: RefereesStore,
    versions: tuple[VersionId, ...],
    sql: psycopg.Connection,
) -> None:
    of = block(2)
    await Spools(tmp_path, KEY).of(1).append([finished(versions[:2], of), BlockEnd(of.id, void)])
    await record_spooled(Spools(tmp_path, KEY), {1}, referee)
    assert sql.execute("SELECT count(*) FROM rating_events").fetchone() == (counted,)
    await referee.record([finished(versions[:2], of, 1)])
    assert sql.execute("SELECT count(*) FROM rating_events").fetchone() == (2 * counted,)


async def test_what_the_database_refuses_is_set_aside_and_the_rest_recorded(
    tmp_path: Path, referee: RefereesStore, versions: tuple[VersionId, ...]
) -> None:
    good, bad = finished(versions[:2]), finished((VersionId(98), VersionId(99)))
    spools = Spools(tmp_path, KEY)
    await spools.of(1).append([bad, good])
    with capture_logs() as log:
        await record_spooled(spools, {1}, referee)
    assert len(await recorded_matches.matches(referee)) == 1
    (aside,) = files(tmp_path)
    assert aside.suffix == ".refused"
    assert log[-1]["matches"] == [match_id(bad)]


async def test_a_spool_with_a_record_of_a_newer_release_is_kept_for_one(
    tmp_path: Path, referee: RefereesStore, versions: tuple[VersionId, ...]
) -> None:
    spools = Spools(tmp_path, KEY)
    await spools.of(1).append([finished(versions[:2])])
    (file,) = files(tmp_path)
    add_record(file, b'{"of": "a newer release"}\n')
    whole = file.read_bytes()
    await record_spooled(spools, {1}, referee)
    assert len(await recorded_matches.matches(referee)) == 1
    (aside,) = files(tmp_path)
    assert (aside.suffix, aside.read_bytes()) == (".unread", whole)


async def test_the_spool_of_another_database_is_left_alone(tmp_path: Path) -> None:
    await Spools(tmp_path, b"a" * 32).of(1).append(happenings())
    with capture_logs() as log:
        assert Spools(tmp_path, b"b" * 32).left() == {}
    assert len(log) == 1
    (left,) = Spools(tmp_path, b"a" * 32).left().values()
    assert len(left.read()) == len(happenings())


async def test_bots_are_told_the_ends_of_what_was_spooled(
    tmp_path: Path, referee: RefereesStore, versions: tuple[VersionId, ...]
) -> None:
    match = replace(finished(versions[:2]), instances=("", "right"))
    await Spools(tmp_path, KEY).of(1).append([match])
    await record_spooled(Spools(tmp_path, KEY), {1}, referee)
    ends = await referee.untold_ends()
    assert {(end.match_id, end.version_id, end.instance) for end in ends} == {
        (match_id(match), versions[0], ""),
        (match_id(match), versions[1], "right"),
    }


async def test_a_spool_is_not_recorded_once_another_referee_has_played_on(
    tmp_path: Path, referee: RefereesStore, versions: tuple[VersionId, ...]
) -> None:
    spools, own = Spools(tmp_path, KEY), referee.lease.epoch
    await spools.of(own + 1).append([finished(versions[:2])])
    kept = finished(versions[:2])
    await spools.of(own + 2).append([kept])
    with capture_logs() as log:
        await record_spooled(spools, {own + 2}, referee)
    assert [row.match_id for row in await recorded_matches.matches(referee)] == [match_id(kept)]
    (aside,) = files(tmp_path)
    assert aside.suffix == ".superseded"
    assert "another referee has played these matches on" in log[0]["event"]


async def test_a_referee_that_starts_leaves_a_spool_to_the_one_that_has_inherited_it(
    database: str, tmp_path: Path, versions: tuple[VersionId, ...]
) -> None:
    spools, kept = Spools(tmp_path, KEY), finished(versions[:2])
    async with open_referees_store(database) as dead:
        await spools.of(dead.lease.epoch).append([kept])
    async with open_referees_store(database) as heir, open_referees_store(database) as starting:
        await record_spooled(spools, starting.lease.inherited, starting)
        (left,) = files(tmp_path)
        assert left.suffix == ".spool"
        await record_spooled(spools, heir.lease.inherited, heir)
        assert [row.match_id for row in await recorded_matches.matches(heir)] == [match_id(kept)]
