"""The built-in server's data directory and log, without a server."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.database.binaries import Binaries
from arena.database.data_directory import DataDirectory, ServerLog
from arena.database.errors import StorageError


class Initdb:
    """A program that stands in for initdb, and ends with this code."""

    def __init__(self, code: int) -> None:
        self.code = code
        self.arguments: list[str] = []

    def __call__(
        self,
        arguments: list[str],
        directories: list[Path],
        death_signal: signal.Signals,
        stdin: int = subprocess.DEVNULL,
    ) -> "subprocess.Popen[bytes]":
        self.arguments = arguments
        assert all(directory.is_dir() for directory in directories)
        return subprocess.Popen([sys.executable, "-S", "-c", f"raise SystemExit({self.code})"])


def directory(parent: Path, log: str = "") -> DataDirectory:
    (parent / "log").write_text(log)
    return DataDirectory(parent / "data", ServerLog(parent / "log"), durable=True)


@pytest.mark.slow
def test_an_interrupted_making_of_the_roles_leaves_no_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def start(
        arguments: list[str],
        directories: list[Path],
        death_signal: signal.Signals,
        stdin: int = subprocess.DEVNULL,
    ) -> "subprocess.Popen[bytes]":
        started.append(subprocess.Popen(["sleep", "60"], stdin=stdin))
        return started[-1]

    def interrupted(process: "subprocess.Popen[bytes]", words: bytes) -> None:
        raise KeyboardInterrupt

    (tmp_path / "data").mkdir()
    changed = directory(tmp_path)
    monkeypatch.setattr(subprocess.Popen, "communicate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        changed.make_roles(Binaries(Path("/nowhere"), 17), start)
    (process,) = started
    # By SIGKILL where whoever started the tests ignores SIGQUIT, which is inherited.
    assert process.poll() in {-signal.SIGQUIT, -signal.SIGKILL}


def test_a_data_directory_is_there_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    binaries = Binaries(Path("/nowhere"), 17)
    for _ in range(2):  # what the first leaves does not stand in the way of the second
        with pytest.raises(StorageError, match=r"could not make .* \(initdb: error: no room\)"):
            directory(tmp_path, "first\ninitdb: error: no room\nlast\n").make(binaries, Initdb(1))
        assert not (tmp_path / "data").exists()
    made = directory(tmp_path)
    made.make(binaries, Initdb(0))
    assert (tmp_path / "data").is_dir()
    assert not (tmp_path / "data.new").exists()


@pytest.mark.parametrize(("major", "built_in"), [(15, False), (16, False), (17, True), (18, True)])
def test_text_is_sorted_without_the_systems_locales_where_postgres_can(
    tmp_path: Path, major: int, built_in: bool
) -> None:
    initdb = Initdb(0)
    directory(tmp_path).make(Binaries(Path("/nowhere"), major), initdb)
    assert ("--locale-provider=builtin" in initdb.arguments) is built_in
    assert ("--locale=C.UTF-8" in initdb.arguments) is not built_in
    assert "--encoding=UTF8" in initdb.arguments


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "it said nothing"),
        (["LOG:  starting", "LOG:  ending."], "LOG:  ending"),
        (["FATAL:  no room", "LOG:  ending"], "FATAL:  no room"),
        (["PANIC:  no room", "LOG:  ending"], "PANIC:  no room"),
        (["initdb: error: no room", "removing"], "initdb: error: no room"),
        (["FATAL:  first", "FATAL:  second."], "FATAL:  second"),
        (["2026-05-01 12:00:00.123 UTC [17] FATAL:  no room"], "FATAL:  no room"),
    ],
)
def test_the_last_words_of_a_server_are_its_worst(
    tmp_path: Path, lines: list[str], said: str
) -> None:
    file = tmp_path / "log"
    file.write_text("FATAL:  of an earlier run\n")
    log = ServerLog(file)
    log.begin()
    with file.open("a") as opened:
        opened.writelines(f"{line}\n" for line in lines)
    assert log.last_words() == said


def test_a_log_that_is_not_there_said_nothing(tmp_path: Path) -> None:
    log = ServerLog(tmp_path / "log")
    log.begin()
    assert log.last_words() == "it said nothing"


def test_only_a_whole_pid_file_says_where_a_server_listens(tmp_path: Path) -> None:
    data = directory(tmp_path)
    assert data.announced_sockets() is None
    (tmp_path / "data").mkdir()
    for written, sockets in (
        ("1\n/data\n0\n5432\n", None),
        ("1\n/data\n0\n5432\n\n", None),
        ("1\n/data\n0\n5432\n/tmp/sockets\n", Path("/tmp/sockets")),
    ):
        (tmp_path / "data" / "postmaster.pid").write_text(written)
        assert data.announced_sockets() == sockets
