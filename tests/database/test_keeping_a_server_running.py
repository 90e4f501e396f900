"""A server that ends is started again, by what its guard does with small programs."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from arena.database.errors import StorageError
from arena.database.kept_running import (
    FIRST_PAUSE,
    LONGEST_PAUSE,
    SETTLED_SECONDS,
    KeptRunning,
    pause_after,
)
from tests.waiting import until


class Server:
    """Programs that stand in for a server; what comes next is decided by the test."""

    def __init__(self) -> None:
        self.started: list[subprocess.Popen[bytes]] = []
        self.failures: list[Exception] = []
        self.command = ["sleep", "60"]
        self.answers = True
        self.pauses: list[tuple[float, float]] = []
        self.kept = KeptRunning(
            self._start, lambda: self.answers, lambda: "its last words", self._pause
        )

    def _pause(self, answered_seconds: float, last: float) -> float:
        self.pauses.append((answered_seconds, last))
        return last + 0.001

    def _start(self) -> subprocess.Popen[bytes]:
        if self.failures:
            raise self.failures.pop(0)
        self.started.append(subprocess.Popen(self.command))
        return self.started[-1]

    def stop(self, *signals: signal.Signals) -> None:
        self.kept.stop(signals or (signal.SIGTERM,), 5.0)


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.stop(signal.SIGKILL)


def lines(log: list[Any]) -> list[tuple[str, str]]:
    return [(line["event"], line.get("why", "")) for line in log]


AGAIN = "the database runs again"


def told(log: list[Any]) -> list[str]:
    return [line["event"] for line in log]


def test_a_server_that_answers_has_started(server: Server) -> None:
    assert server.kept.start(5.0) is True
    server.stop()
    assert [one.returncode for one in server.started] == [-signal.SIGTERM]


def test_a_server_that_ends_before_it_answers_has_not_started(server: Server) -> None:
    server.command, server.answers = ["false"], False
    with capture_logs() as log:
        assert server.kept.start(5.0) is False
        server.stop()
    assert log == [], "whoever started it says so"


def test_a_server_that_does_not_answer_is_waited_for_so_long(server: Server) -> None:
    server.answers = False
    assert server.kept.start(0.02) is None


def test_a_server_that_does_not_answer_yet_is_not_asked_all_the_time() -> None:
    asked: list[float] = []

    def answers() -> bool:
        asked.append(time.monotonic())
        return len(asked) == 20

    kept = KeptRunning(lambda: subprocess.Popen(["sleep", "60"]), answers, str)
    try:
        assert kept.start(10.0)
    finally:
        kept.stop([signal.SIGTERM], 5.0)
    assert asked[-1] - asked[0] >= 19 * 0.01


def test_a_server_that_cannot_even_be_started_has_not_started(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.failures = [OSError("no process to be had")]
    settled = server.kept._settled
    wait = settled.wait

    def wait_until_it_runs(patience: float) -> bool:
        """As where the thread that waits is woken late."""
        until(lambda: len(server.started) == 1)
        return wait(patience)

    monkeypatch.setattr(settled, "wait", wait_until_it_runs)
    assert server.kept.start(5.0) is False


def test_a_server_that_ends_is_started_again_and_both_are_said(server: Server) -> None:
    with capture_logs() as log:
        server.kept.start(5.0)
        for times in (2, 3):
            server.started[-1].kill()
            until(lambda: len(server.started) == times)  # noqa: B023
            until(lambda: told(log).count(AGAIN) == times - 1)  # noqa: B023
        server.stop()
    ended = ("the database ended and is started again", "signal SIGKILL: its last words")
    assert lines(log) == [ended, (AGAIN, "")] * 2
    assert all(line.get("away_s", 0.0) < 5 for line in log)


def test_pauses_grow_while_starts_fail_and_begin_anew_once_it_has_answered_for_long() -> None:
    assert pause_after(0.0, 0.0) == FIRST_PAUSE
    assert pause_after(0.0, FIRST_PAUSE) == 2 * FIRST_PAUSE
    assert pause_after(0.0, LONGEST_PAUSE) == LONGEST_PAUSE
    assert pause_after(SETTLED_SECONDS - 0.01, LONGEST_PAUSE) == LONGEST_PAUSE
    assert pause_after(SETTLED_SECONDS, LONGEST_PAUSE) == FIRST_PAUSE


def test_the_pause_follows_from_how_long_it_answered_and_the_pause_before(server: Server) -> None:
    server.kept.start(5.0)
    server.failures = [StorageError("no room")]
    server.started[-1].kill()
    until(lambda: len(server.started) == 2)
    (answered, first), (failed, second) = server.pauses
    assert 0 < answered < 60
    assert (first, failed, second) == (0, 0, 0.001)


@pytest.mark.slow
def test_a_program_that_ends_without_stopping_it_is_not_kept_alive() -> None:
    code = """
import subprocess
from arena.database.kept_running import KeptRunning
start = lambda: subprocess.Popen(["cat"], stdin=subprocess.PIPE)
assert KeptRunning(start, lambda: True, str).start(10.0)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_starts_that_fail_are_said_once_for_each_reason(server: Server) -> None:
    reasons = ["no room", "no room", "no memory", "no room"]
    with capture_logs() as log:
        server.kept.start(5.0)
        server.failures = [StorageError(why) for why in reasons]
        server.command = ["sh", "-c", "exec sleep 60"]
        server.started[-1].terminate()
        until(lambda: AGAIN in told(log))
        server.stop()
    again = "the database does not start yet; trying again"
    assert lines(log) == [
        ("the database ended and is started again", "signal SIGTERM: its last words"),
        (again, "no room"),
        (again, "no memory"),
        (again, "no room"),
        (AGAIN, ""),
    ]


def test_a_server_that_ends_by_itself_is_said_with_its_code(server: Server) -> None:
    with capture_logs() as log:
        server.command = ["sh", "-c", "read line; exit 7"]
        server.kept._start = lambda: _with_input(server)
        server.kept.start(5.0)
        stdin = server.started[0].stdin
        assert stdin is not None
        server.command = ["sleep", "60"]
        stdin.close()
        until(lambda: len(server.started) == 2)
        server.stop()
    assert lines(log)[0] == (
        "the database ended and is started again",
        "code 7: its last words",
    )


def _with_input(server: Server) -> subprocess.Popen[bytes]:
    server.started.append(subprocess.Popen(server.command, stdin=subprocess.PIPE))
    return server.started[-1]


def test_a_stop_is_no_end_to_be_told_of(server: Server) -> None:
    with capture_logs() as log:
        server.kept.start(5.0)
        server.stop()
        server.stop()
    assert log == []
    assert len(server.started) == 1


def test_a_server_that_ignores_its_signals_is_killed(server: Server, tmp_path: Path) -> None:
    deaf = tmp_path / "deaf"
    server.command = ["sh", "-c", f"trap '' TERM INT; touch {deaf}; while :; do sleep 60; done"]
    server.kept = KeptRunning(server._start, deaf.exists, lambda: "")
    server.kept.start(5.0)
    server.kept.stop((signal.SIGTERM, signal.SIGINT), 0.02)
    assert server.started[0].returncode == -signal.SIGKILL


def test_what_was_never_started_can_be_stopped(server: Server) -> None:
    server.stop()
    assert server.started == []
