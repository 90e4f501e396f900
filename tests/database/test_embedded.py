"""The built-in server starts where nothing is installed, and never stays behind."""

import fcntl
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url
from structlog.testing import capture_logs

from arena.database import embedded
from arena.database.binaries import find_binaries
from arena.database.embedded import EmbeddedPostgres
from arena.database.errors import DatabaseUnreachableError, DataDirectoryError, SetupError
from arena.database.private_socket import make_private, password_of, socket_directory, url_of
from arena.database.roles import READER_ROLE, WORKER_ROLE
from arena.database.schema import migrate
from arena.processes import spawn, stop
from tests.databases import answers, execute, named, plain
from tests.waiting import until

pytestmark = [pytest.mark.slow]

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture
def owners() -> Iterator[list[subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        process.kill()
        process.communicate()


def start_owner(owners: list[subprocess.Popen[str]], home: Path) -> subprocess.Popen[str]:
    owners.append(
        subprocess.Popen(
            [sys.executable, "-m", "tests.database.home_owner", home],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
    )
    return owners[-1]


def first_words(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    return process.stdout.readline().split()


def server(home: Path) -> EmbeddedPostgres:
    return EmbeddedPostgres(home / "postgres", durable=False)


def processes_in(directory: Path) -> list[str]:
    """Postgres, its helpers and initdb: whoever works in the directory or names it."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
            inside = (process / "cwd").readlink().is_relative_to(directory)
        except OSError:
            continue
        if inside or (b"-D" in command and os.fsencode(directory) in command):
            found.append(command.decode())
    return found


LIBPQ = {
    "PGHOST": "192.0.2.1",
    "PGHOSTADDR": "192.0.2.1",
    "PGPORT": "9",
    "PGUSER": "nobody",
    "PGSERVICE": "none",
    "PGSERVICEFILE": "/nowhere",
    "PGPASSFILE": "/nowhere",
    "PGSSLMODE": "verify-full",
    "PGREQUIREAUTH": "none",
    "PGGSSENCMODE": "require",
    "PGTARGETSESSIONATTRS": "standby",
    "PGDATA": "/nowhere",
    "PGDATABASE": "none",
    "PGTZ": "Mars/Base",
    "PGDATESTYLE": "German",
    "PGCLIENTENCODING": "LATIN1",
    "PGOPTIONS": "-c nonsense=1",
    "PGGEQO": "off",
}


def test_variables_of_libpq_lead_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in LIBPQ.items():
        monkeypatch.setenv(name, value)
    with server(tmp_path) as url, psycopg.connect(plain(url)) as connection:
        shown = [connection.execute(f"SHOW {name}").fetchone() for name in ("timezone", "geqo")]
    assert shown == [("UTC",), ("on",)]


def test_data_outlives_the_server_and_the_server_nobody(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    with server(home) as url:
        execute(url, "CREATE TABLE kept AS SELECT 42 AS answer")
        with psycopg.connect(plain(url)) as connection:
            assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
            assert connection.execute("SHOW server_encoding").fetchone() == ("UTF8",)
            if sys.platform == "linux":  # file by file it takes long after a crash
                sync = connection.execute("SHOW recovery_init_sync_method").fetchone()
                assert sync == ("syncfs",)
        sockets = socket_directory(home / "postgres.sockets")
        assert make_url(url).query["host"] == str(sockets)
        assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
        assert len(os.fsencode(sockets)) < 100
    assert list(sockets.iterdir()) == []
    assert processes_in(home) == []

    # As after a kill -9 in a container, whose pids begin anew: the number is now another's. It is
    # not ours, as Postgres knows that its parents are no servers.
    with subprocess.Popen(["sleep", "60"]) as another:
        for password_is_lost in (False, True):
            pid_file = home / "postgres" / "postmaster.pid"
            pid_file.write_text(f"{another.pid}\n{home}/postgres\n")
            if password_is_lost:
                (home / "postgres.password").unlink()
            with server(home) as url, psycopg.connect(plain(url)) as connection:
                assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)
        another.kill()


@linux
def test_the_server_ends_with_its_owner_however_that_ends(
    tmp_path: Path, owners: list[subprocess.Popen[str]]
) -> None:
    for ending in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
        owner = start_owner(owners, tmp_path)
        role, url = first_words(owner)
        assert role == "owner"
        execute(url, "CREATE TABLE IF NOT EXISTS kept ()")
        assert len(processes_in(tmp_path)) > 1
        owner.send_signal(ending)
        until(lambda: processes_in(tmp_path) == [])
    with server(tmp_path) as url:
        execute(url, "SELECT FROM kept")


@linux
def test_an_owner_killed_while_it_makes_the_data_leaves_nothing_to_stumble_over(
    tmp_path: Path, owners: list[subprocess.Popen[str]]
) -> None:
    owner = start_owner(owners, tmp_path)
    until((tmp_path / "postgres.new" / "PG_VERSION").exists)
    owner.kill()
    assert not (tmp_path / "postgres").exists()
    with server(tmp_path) as url:
        execute(url, "SELECT")
    assert not (tmp_path / "postgres.new").exists()


def test_processes_share_one_server_and_the_next_one_takes_over(
    tmp_path: Path, owners: list[subprocess.Popen[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    rivals = [start_owner(owners, tmp_path) for _ in range(2)]
    roles = {first_words(rival)[0]: rival for rival in rivals}
    assert set(roles) == {"owner", "guest"}
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    guest = server(tmp_path)
    with guest as url:
        assert not guest.owned
        execute(url, "CREATE TABLE shared ()")
    for rival in rivals:
        rival.kill()
        rival.wait()
    successor = server(tmp_path)
    with successor as url:
        assert successor.owned
        execute(url, "SELECT FROM shared")


@linux
def test_who_uses_a_server_runs_it_when_its_owner_is_killed(
    tmp_path: Path, owners: list[subprocess.Popen[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = start_owner(owners, tmp_path)
    assert first_words(owner)[0] == "owner"
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # it stays at the address that is in use
    guest = server(tmp_path)
    with capture_logs() as logs, guest as url:
        execute(url, "CREATE TABLE shared ()")
        owner.kill()
        until(lambda: guest.owned)
        until(lambda: answers(url), seconds=10)
        execute(url, "SELECT FROM shared")
        with server(tmp_path) as same:
            assert same == url
    assert processes_in(tmp_path) == []
    said = "the process that ran the database is gone: this one runs it now"
    assert [line["event"] for line in logs] == [said]


@linux
def test_who_inherits_a_server_that_does_not_answer_can_still_be_stopped(
    tmp_path: Path, owners: list[subprocess.Popen[str]]
) -> None:
    owner = start_owner(owners, tmp_path)
    assert first_words(owner)[0] == "owner"
    guest = server(tmp_path)
    guest.start()
    (tmp_path / "postgres.password").write_text("another\n")  # so it lets nobody in
    owner.kill()
    until(lambda: guest.owned)
    began = time.monotonic()
    guest.stop()
    assert time.monotonic() - began < 9
    assert processes_in(tmp_path) == []


def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    with server(tmp_path):
        pass
    (tmp_path / "postgres" / "postgresql.conf").write_text("no_such_setting = 1\n")
    with pytest.raises(DatabaseUnreachableError, match=r"did not start \(.*configuration file"):
        server(tmp_path).start()
    assert processes_in(tmp_path) == []


@linux
@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives root up")
def test_root_without_user_namespaces_becomes_nobody(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    binaries = find_binaries().directory
    if not all(folder.stat().st_mode & stat.S_IXOTH for folder in (binaries, *binaries.parents)):
        pytest.skip(f"nobody cannot reach {binaries}")
    script = Path(__file__).with_name("without_namespaces.py")
    answer = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert answer.stdout.split() == ["65534", "65534"], answer.stderr


@pytest.mark.parametrize("home", ["file", "file/home"])
def test_a_home_that_cannot_be_written_is_one_sentence(tmp_path: Path, home: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SetupError, match="choose another directory with ARENA_HOME"):
        server(tmp_path / home).start()


def test_somebody_elses_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "diary.txt").write_text("dear diary")
    with pytest.raises(DataDirectoryError, match="is not a database: move it away"):
        server(tmp_path).start()
    assert (tmp_path / "postgres" / "diary.txt").exists()


def test_a_database_that_another_process_holds_and_that_does_not_answer_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "START_DEADLINE", 0.1)
    with (tmp_path / "postgres.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(DatabaseUnreachableError, match="Another process holds"):
            server(tmp_path).start()


def test_a_socket_directory_that_others_may_enter_is_refused(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    (tmp_path / "link").symlink_to(tmp_path)
    for name in ("open", "link"):
        with pytest.raises(DataDirectoryError, match="is not private to this user: remove it"):
            make_private(tmp_path / name)
    make_private(tmp_path / "mine")
    make_private(tmp_path / "mine")


@linux
def test_a_backup_under_the_lock_is_refused_while_any_process_runs_the_server(
    tmp_path: Path,
) -> None:
    copy = ["flock", "--nonblock", tmp_path / "postgres.lock", "true"]
    with server(tmp_path):
        assert subprocess.run(copy, check=False).returncode == 1
        with server(tmp_path):
            assert subprocess.run(copy, check=False).returncode == 1
    assert subprocess.run(copy, check=False).returncode == 0


def test_the_log_of_a_server_is_its_owners_alone(tmp_path: Path) -> None:
    log = tmp_path / "postgres.log"
    log.touch()
    log.chmod(0o644)
    with server(tmp_path):
        assert stat.S_IMODE(log.stat().st_mode) == 0o600


def made_by_an_earlier_release(home: Path) -> None:
    """A home whose one role, `arena`, is the superuser; nothing else knows its password."""
    binaries = find_binaries()
    data, sockets, log = home / "postgres", home / "sockets", home / "made.log"
    home.mkdir()
    for directory in (data, sockets):
        directory.mkdir(mode=0o700)
    programs = [
        [binaries.initdb, "-D", data, "-U", "arena", "--auth=trust", "--encoding=UTF8"],
        [binaries.postgres, "-D", data, "-k", sockets, "-c", "listen_addresses="],
    ]
    with log.open("wb") as said:
        for program in programs:
            process = spawn(
                program, cwd=Path("/"), stdout=said, stderr=said, hand_over=[data, sockets]
            )
            if program is programs[0]:
                assert process.wait() == 0, log.read_text()
    url = f"postgresql+psycopg://arena@/postgres?host={sockets}"
    try:
        until(lambda: answers(url))
        execute(url, "ALTER ROLE arena PASSWORD 'of before'")
        execute(url, "CREATE DATABASE arena")
        migrate(named(url, "arena"))
        execute(
            named(url, "arena"),
            "INSERT INTO owners (name, folded, skeleton) VALUES ('Anna', 'anna', 'anna')",
        )
    finally:
        stop(process, signal.SIGINT)
    (data / "pg_hba.conf").write_text("local all all scram-sha-256\n")
    (home / "postgres.password").write_text("of before\n")


def roles_of(url: str) -> dict[str, bool]:
    """Which roles there are, and whether they are superusers."""
    with psycopg.connect(plain(url)) as connection:
        found = connection.execute(
            "SELECT rolname, rolsuper FROM pg_roles WHERE rolname !~ '^pg_'"
        ).fetchall()
    return dict(found)


NO_SUPERUSER = {"postgres": True, "arena": False, "arena_reader": False, "arena_worker": False}


def test_no_process_connects_as_a_superuser(tmp_path: Path) -> None:
    with server(tmp_path) as url:
        assert roles_of(url) == NO_SUPERUSER
        for role in (READER_ROLE, WORKER_ROLE):
            with psycopg.connect(plain(url_of(role, url))) as connection:
                assert connection.execute("SELECT session_user").fetchone() == (role,)
        password = str(make_url(url).password)
        for role, database in (("postgres", "arena"), ("arena", "postgres")):
            other = make_url(url).set(username=role, password=password, database=database)
            with pytest.raises(psycopg.OperationalError, match=r"no pg_hba\.conf entry"):
                psycopg.connect(plain(other.render_as_string(hide_password=False)))
        log = (tmp_path / "postgres.log").read_text()
        assert not any(word in log for word in (password, password_of(READER_ROLE, password)))


def test_the_superuser_of_an_earlier_release_becomes_the_owner_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    made_by_an_earlier_release(home)
    for _ in range(2):
        with server(home) as url:
            assert roles_of(url) == NO_SUPERUSER
            migrate(url)
            with psycopg.connect(plain(url)) as connection:
                owners = connection.execute("SELECT name FROM owners").fetchall()
                assert owners == [("Anna",)]
                connection.execute("ALTER TABLE matches ADD another integer")
                connection.rollback()
            for role in (READER_ROLE, WORKER_ROLE):
                execute(url_of(role, url), "SELECT")
            assert "of before" not in url
