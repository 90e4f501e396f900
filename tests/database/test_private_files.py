"""The built-in server's files and programs, without a server: whose they are, and what is found."""

import os
import pwd
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import make_url

from arena.commands.serving.children import children
from arena.database import binaries
from arena.database.binaries import Binaries, find_binaries
from arena.database.data_directory import DataDirectory, ServerLog
from arena.database.errors import DataDirectoryError, SetupError
from arena.database.private_home import make_private_home, private_log
from arena.database.private_socket import answers, make_private, socket_directory, url, url_of
from arena.database.process_identity import has_ended, own_identity

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def directory(parent: Path) -> DataDirectory:
    return DataDirectory(parent / "data", ServerLog(parent / "log"), durable=True)


@pytest.mark.parametrize("before", [0o777, 0o755, 0o700])
def test_a_home_that_is_there_is_closed_to_others(tmp_path: Path, before: int) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(before)
    make_private_home(home)
    # Root's may be passed through, for a Postgres that runs as nobody.
    assert mode(home) == before & (0o711 if os.geteuid() == 0 else 0o700)


def test_a_new_home_and_its_parents_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    make_private_home(home)
    make_private_home(home)
    assert mode(home) == 0o700


@pytest.mark.parametrize(("append", "kept"), [(False, b"new"), (True, b"oldnew")])
def test_a_log_that_was_there_for_all_is_its_owners_alone(
    tmp_path: Path, append: bool, kept: bytes
) -> None:
    path = tmp_path / "program.log"
    path.write_bytes(b"old")
    path.chmod(0o644)
    with private_log(path, append=append) as log:
        log.write(b"new")
    assert mode(path) == 0o600
    assert path.read_bytes() == kept


def test_a_log_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("kept")
    (tmp_path / "program.log").symlink_to(tmp_path / "other")
    with pytest.raises(OSError, match="symbolic links"):
        private_log(tmp_path / "program.log")
    assert (tmp_path / "other").read_text() == "kept"


def test_folders_of_programs_logs_are_closed_to_others(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir(mode=0o755)
    with children(tmp_path / "logs") as running:
        running.start("quiet", ["-c", ""])
        assert mode(tmp_path / "logs") == 0o700
        assert mode(tmp_path / "logs" / "quiet.log") == 0o600


def test_a_home_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    with pytest.raises(SetupError, match=f"Cannot write to {tmp_path / 'home'} "):
        make_private_home(tmp_path / "home")


def test_a_socket_directory_that_is_there_must_be_a_private_directory(tmp_path: Path) -> None:
    make_private(tmp_path / "mine")
    assert mode(tmp_path / "mine") == 0o700
    for bits in (0o701, 0o710, 0o704):
        (tmp_path / "mine").chmod(bits)
        with pytest.raises(DataDirectoryError, match="is not private to this user"):
            make_private(tmp_path / "mine")
    (tmp_path / "file").touch(0o600)
    with pytest.raises(DataDirectoryError, match="is not private to this user"):
        make_private(tmp_path / "file")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes directories of others")
def test_a_socket_directory_of_somebody_else_is_refused(tmp_path: Path) -> None:
    others = tmp_path / "others"
    others.mkdir(mode=0o700)
    os.chown(others, 12_345, 12_345)
    with pytest.raises(DataDirectoryError, match="is not private to this user"):
        make_private(others)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes directories of others")
def test_a_socket_directory_of_nobody_is_roots(tmp_path: Path) -> None:
    servers = tmp_path / "servers"
    servers.mkdir(mode=0o700)
    os.chown(servers, pwd.getpwnam("nobody").pw_uid, -1)
    make_private(servers)


def test_where_no_server_listens_none_answers(tmp_path: Path) -> None:
    assert not answers(tmp_path, "password")


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory for temporary files, with a short path."""
    with tempfile.TemporaryDirectory(prefix="a-", dir="/tmp") as made:
        monkeypatch.setattr("tempfile.tempdir", made)
        yield Path(made)


def test_a_directory_of_sockets_is_private_and_stays_that_of_its_record(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = socket_directory(tmp_path / "one"), socket_directory(tmp_path / "other")
    assert one != other
    assert one.parent == temporary
    assert mode(one) == 0o700
    assert mode(tmp_path / "one") == 0o600
    monkeypatch.setattr("tempfile.tempdir", "/nowhere")
    (tmp_path / "link").symlink_to(tmp_path / "one")
    assert one == socket_directory(tmp_path / "one") == socket_directory(tmp_path / "link")
    one.rmdir()  # as when the machine starts anew
    assert socket_directory(tmp_path / "one") == one
    assert mode(one) == 0o700


@pytest.mark.parametrize("taken_as", ["link", "file", "open directory"])
def test_a_directory_of_sockets_that_somebody_has_taken_is_left_for_another(
    tmp_path: Path, temporary: Path, taken_as: str
) -> None:
    record = tmp_path / "record"
    before = socket_directory(record)
    before.rmdir()
    match taken_as:
        case "link":
            before.symlink_to(tmp_path)
        case "file":
            before.touch()
        case _:
            before.mkdir()
            before.chmod(0o777)
    after = socket_directory(record)
    assert after != before
    assert after.parent == temporary
    assert mode(after) == 0o700
    assert socket_directory(record) == after


def test_the_names_of_directories_of_sockets_do_not_follow_from_the_home(
    tmp_path: Path, temporary: Path
) -> None:
    record = tmp_path / "record"
    names = set()
    for _ in range(3):
        names.add(socket_directory(record).name)
        record.unlink()
    assert len(names) == 3


@pytest.mark.parametrize("words", [b"", b"/tmp", b"\n", b"/tmp/arena-other\n/elsewhere", b"\xff\n"])
def test_a_record_that_is_broken_or_of_another_home_is_not_followed(
    tmp_path: Path, temporary: Path, words: bytes
) -> None:
    record = tmp_path / "record"
    record.write_bytes(words)
    directory = socket_directory(record)
    assert directory.parent == temporary
    assert socket_directory(record) == directory


def test_a_copy_of_a_home_has_other_sockets(tmp_path: Path, temporary: Path) -> None:
    (tmp_path / "home").mkdir()
    before = socket_directory(tmp_path / "home" / "record")
    shutil.copytree(tmp_path / "home", tmp_path / "copy")
    assert socket_directory(tmp_path / "copy" / "record") != before


def test_processes_that_begin_together_have_the_same_directory_of_sockets(
    tmp_path: Path, temporary: Path
) -> None:
    with ThreadPoolExecutor(8) as threads:
        found = set(threads.map(socket_directory, [tmp_path / "record"] * 32))
    assert len(found) == 1
    assert list(temporary.iterdir()) == list(found)


def test_where_no_record_can_be_written_the_error_names_it(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"Cannot write to .*/missing/record"):
        socket_directory(tmp_path / "missing" / "record")


def test_the_longest_directory_for_temporary_files_that_a_socket_fits_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for length, fits in ((80, True), (81, False)):
        begin = Path(tempfile.mkdtemp(prefix="a-", dir="/tmp"))
        temporary = begin / ("x" * (length - len("/arena-12345678") - len(f"{begin}/")))
        temporary.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(temporary))
        try:
            directory = socket_directory(tmp_path / str(length))
            assert directory.parent == (temporary if fits else Path("/tmp"))
            assert (len(str(directory)) == length) is fits
            directory.rmdir()
        finally:
            shutil.rmtree(begin)


def test_the_address_leads_over_the_socket_with_the_password() -> None:
    assert url(Path("/tmp/s"), "pw") == "postgresql+psycopg://arena:pw@/arena?host=/tmp/s"


def test_who_made_a_data_directory_is_its_major_version(tmp_path: Path) -> None:
    found = directory(tmp_path)
    assert found.made_by() is None
    data = tmp_path / "data"
    data.mkdir()
    assert found.made_by() is None, "an empty directory is as good as none"
    (data / "PG_VERSION").write_text("17\n")
    assert found.made_by() == 17
    (data / "PG_VERSION").write_text("seventeen\n")
    with pytest.raises(DataDirectoryError, match="cannot be read as a database"):
        found.made_by()
    (data / "PG_VERSION").unlink()
    (data / "diary.txt").touch()
    with pytest.raises(DataDirectoryError, match="is not a database"):
        found.made_by()


def test_a_password_that_is_not_there_yet_is_none(tmp_path: Path) -> None:
    found = directory(tmp_path)
    assert found.password() is None
    (tmp_path / "data.password").write_text(" \n")
    assert found.password() is None
    (tmp_path / "data.password").write_text("secret\n")
    assert found.password() == "secret"
    (tmp_path / "data.password").unlink()
    (tmp_path / "data.password").mkdir()
    with pytest.raises(SetupError, match=r"data\.password"):
        found.password()


def test_roles_are_made_unless_their_three_alone_are_let_in_with_passwords(tmp_path: Path) -> None:
    found, access = directory(tmp_path), tmp_path / "data" / "pg_hba.conf"
    access.parent.mkdir()
    for others in ("local all all trust\n", "local all all scram-sha-256\n"):
        access.write_text(others)
        assert not found.has_roles()
    access.write_text("local arena arena,arena_reader,arena_worker scram-sha-256\n")
    assert found.has_roles()


def test_the_address_of_a_lesser_role_has_a_password_of_its_own() -> None:
    owners = "postgresql+psycopg://arena:pw@/arena?host=/tmp/s"
    reader, worker = (url_of(role, owners) for role in ("arena_reader", "arena_worker"))
    assert re.fullmatch(
        r"postgresql\+psycopg://arena_reader:[0-9a-f]{64}@/arena\?host=(/|%2F)tmp(/|%2F)s", reader
    )
    assert make_url(reader).password != make_url(worker).password


@linux
def test_the_pid_files_of_a_dead_server_are_removed_and_those_of_a_postgres_are_not(
    tmp_path: Path,
) -> None:
    found, sockets = directory(tmp_path), tmp_path / "sockets"
    sockets.mkdir()
    (tmp_path / "data").mkdir()
    files = [tmp_path / "data" / "postmaster.pid", sockets / ".s.PGSQL.5432.lock"]
    running = tmp_path / "postgres"
    running.symlink_to("/bin/sleep")
    with subprocess.Popen([running, "60"]) as postgres:
        while Path(f"/proc/{postgres.pid}/comm").read_text() != "postgres\n":
            pass  # it has not begun yet
        for pid, stays in ((postgres.pid, True), (os.getpid(), False), (4_194_305, False)):
            for file in files:
                file.write_text(f"{pid}\nmore\n")
            found.forget_dead_server(sockets)
            assert [file.exists() for file in files] == [stays] * 2
        postgres.kill()
    for nothing in ("", "no number\n"):
        files[0].write_text(nothing)
        found.forget_dead_server(sockets)
        assert files[0].exists(), "of which nothing is known"


def program(folder: Path, answer: str, code: int = 0) -> Path:
    """A directory with a `postgres` that answers so."""
    folder.mkdir(parents=True)
    (folder / "postgres").write_text(f"#!/bin/sh\necho '{answer}'\nexit {code}\n")
    (folder / "postgres").chmod(0o755)
    return folder


def test_the_newest_postgres_that_runs_is_used_or_the_one_that_made_the_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (9, 15, 18):
        program(tmp_path / str(number) / "bin", f"postgres (PostgreSQL) {number}.3")
    program(tmp_path / "19" / "bin", "broken", code=1)
    program(tmp_path / "20" / "bin", "says no number")
    (tmp_path / "21" / "bin").mkdir(parents=True)
    monkeypatch.setattr(binaries, "_SYSTEM", tmp_path)
    monkeypatch.setattr(binaries, "_WHEEL", "no_such_wheel")
    newest = Binaries(tmp_path / "18" / "bin", 18)
    assert find_binaries() == find_binaries(18) == newest
    assert newest.postgres == tmp_path / "18" / "bin" / "postgres"
    assert newest.initdb == tmp_path / "18" / "bin" / "initdb"
    assert find_binaries(15).directory == tmp_path / "15" / "bin"
    with pytest.raises(SetupError, match="Postgres 17, which made the data, was not"):
        find_binaries(17)
    monkeypatch.setattr(binaries, "_SYSTEM", tmp_path / "nothing")
    with pytest.raises(SetupError, match="Postgres was not found"):
        find_binaries()


@linux
def test_a_process_has_ended_when_its_number_is_free_or_anothers() -> None:
    own = own_identity().split(" ")
    assert own[-2] == str(os.getpid())
    assert has_ended(" ".join([*own[:-2], "4194305", "1"]))
    assert has_ended(" ".join([*own[:-2], "no-number", "1"]))
    assert not has_ended(" ".join([own[0], "pid:[1]", *own[2:]])), "another name space"


@linux
def test_a_zombie_has_ended() -> None:
    process = subprocess.Popen(["/bin/sleep", "60"])
    identity = own_identity().split(" ")
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    its = " ".join([*identity[:-2], str(process.pid), fields[19]])
    assert not has_ended(its)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert has_ended(its)
    process.wait()
    assert has_ended(its)
