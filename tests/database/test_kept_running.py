"""The built-in server is killed, or its disk is full: it runs again without anybody's help."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from structlog.testing import capture_logs

from arena.database.embedded import EmbeddedPostgres
from tests.databases import answers, execute, plain
from tests.waiting import until

NOTICED = 1.0
"""Seconds within which an end is noticed; starting again, and recovering, comes on top."""
STARTED = 10.0
"""Seconds that a start may take on a busy machine."""

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
pytestmark = [linux, pytest.mark.slow]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    # What the test wrote is some 50 MB a server.
    shutil.rmtree(tmp_path, ignore_errors=True)


def server(home: Path) -> EmbeddedPostgres:
    return EmbeddedPostgres(home / "postgres", durable=False)


def postmaster(home: Path) -> int:
    return int((home / "postgres" / "postmaster.pid").read_text().split()[0])


AGAIN = "the database runs again"


def told(logs: Sequence[MutableMapping[str, Any]]) -> list[str]:
    return [line["event"] for line in logs]


def test_a_killed_postmaster_is_started_again_each_time(home: Path) -> None:
    with capture_logs() as logs, EmbeddedPostgres(home / "postgres") as url:
        execute(url, "CREATE TABLE kept AS SELECT 42 AS answer")
        kills = (signal.SIGKILL, signal.SIGQUIT, signal.SIGKILL, signal.SIGINT)
        for times, kill in enumerate(kills, 1):
            before = postmaster(home)
            with psycopg.connect(plain(url)):  # in use, so that it leaves a backend behind
                os.kill(before, kill)
                until(lambda: told(logs).count(AGAIN) == times, STARTED)  # noqa: B023
        with psycopg.connect(plain(url)) as connection:
            assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)
    assert told(logs) == ["the database ended and is started again", AGAIN] * 4
    assert any("SIGKILL" in line.get("why", "") for line in logs)


def test_a_killed_backend_costs_its_connection_and_no_more(home: Path) -> None:
    with server(home) as url:
        connection = psycopg.connect(plain(url), autocommit=True)
        os.kill(connection.info.backend_pid, signal.SIGKILL)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT")
        until(lambda: answers(url), STARTED)


def test_the_server_of_a_killed_postmaster_still_ends_with_its_owner(home: Path) -> None:
    with server(home) as url:
        before = postmaster(home)
        os.kill(before, signal.SIGKILL)
        until(lambda: answers(url) and postmaster(home) != before, STARTED)
        after = postmaster(home)
    assert not Path(f"/proc/{after}").exists()


def test_a_stop_while_the_server_cannot_start_is_soon_over(home: Path) -> None:
    with server(home):
        break_data(home)
        os.kill(postmaster(home), signal.SIGKILL)
        began = time.monotonic()
    assert time.monotonic() - began < STARTED
    mend_data(home)
    with server(home) as url:
        execute(url, "SELECT")


def test_a_server_that_cannot_start_is_tried_until_it_can_and_logged_once(home: Path) -> None:
    with capture_logs() as logs, server(home) as url:
        break_data(home)
        os.kill(postmaster(home), signal.SIGKILL)

        def tried() -> bool:
            return any("does not start yet" in line["event"] for line in logs)

        until(tried, STARTED)
        time.sleep(2 * NOTICED)  # some more attempts, of which nothing is said
        mend_data(home)
        mended = time.monotonic()
        until(lambda: answers(url), STARTED)
        assert time.monotonic() - mended < NOTICED + STARTED / 2
        until(lambda: logs[-1]["event"] == "the database runs again", STARTED)
    assert [line["event"] for line in logs] == [
        "the database ended and is started again",
        "the database does not start yet; trying again",
        "the database runs again",
    ]
    assert "pg_control" in logs[1]["why"]


def break_data(home: Path) -> None:
    (home / "postgres/global/pg_control").rename(home / "postgres/global/away")


def mend_data(home: Path) -> None:
    (home / "postgres/global/away").rename(home / "postgres/global/pg_control")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a small disk")
def test_a_disk_that_was_full_and_is_not_any_more_needs_no_operator(tmp_path: Path) -> None:
    with owner_on_small_disk(tmp_path) as owner:
        assert owner.stdout is not None
        role, url = owner.stdout.readline().split()
        assert role == "owner"
        disk = Path(f"/proc/{owner.pid}/root{tmp_path}")
        filler = disk / "filler"
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while file.write(bytes(4_096)):
                pass
        with pytest.raises(psycopg.Error):
            execute(url, "CREATE TABLE more AS SELECT n FROM generate_series(1, 9000000) AS n")
        os.kill(postmaster(disk), signal.SIGKILL)
        until(lambda: not answers(url), STARTED)
        time.sleep(NOTICED)
        filler.unlink()
        until(lambda: answers(url), STARTED)
        execute(url, "CREATE TABLE more ()")


@contextmanager
def owner_on_small_disk(home: Path) -> Iterator[subprocess.Popen[str]]:
    script = f"mount -t tmpfs -o size=120m,mode=711 none {home} && exec {sys.executable} -m"
    owner = subprocess.Popen(
        ["unshare", "--mount", "sh", "-c", f"{script} tests.database.home_owner {home}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert owner.stdout is not None
        if not owner.stdout.readable() or owner.poll() is not None:
            pytest.skip("no mounts here")
        yield owner
    finally:
        owner.kill()
        owner.communicate()


def test_the_password_is_asked_for_and_readable_by_its_owner_only(home: Path) -> None:
    with server(home) as url:
        password = (home / "postgres.password").read_text().strip()
        assert password in url
        without = plain(url).replace(f":{password}", "", 1)
        for wrong in (without, plain(url).replace(password, "guess", 1)):
            with pytest.raises(psycopg.OperationalError, match="password"):
                psycopg.connect(wrong, passfile="/dev/null")
        assert stat.S_IMODE((home / "postgres.password").stat().st_mode) == 0o600
        execute(url, "CREATE TABLE kept ()")
    # As data of an older release, which trusted whoever came, or a file that was lost.
    (home / "postgres.password").unlink()
    (home / "postgres" / "pg_hba.conf").write_text("local all all trust\n")
    with server(home) as url:
        execute(url, "SELECT FROM kept")
        assert password not in url
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(without, passfile="/dev/null")


def test_a_home_is_closed_to_others(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir(mode=0o777)
    old.chmod(0o755)
    for home in (old, tmp_path / "new"):
        with server(home):
            assert stat.S_IMODE(home.stat().st_mode) & 0o066 == 0
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
