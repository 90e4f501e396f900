"""A user's program, and whatever it leaves behind, ends with what started it."""

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from arena.processes import PIPE, UserProgram, spawn_program, stop
from tests.processes.process_states import running
from tests.waiting import until

linux = pytest.mark.skipif(sys.platform != "linux", reason="subreapers are Linux's")

DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
STAYS = f"import os, sys\n{DEAF}\nprint(os.getpid(), flush=True)\ntime.sleep(300)"
"""Prints its process id, ignores SIGTERM, and does not look at its input."""
DAEMON = f"""
import os, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        {DEAF.replace("; ", chr(10) + "        ")}
        print(os.getpid(), flush=True)
        time.sleep(300)
    os._exit(0)
os.wait()
sys.stdin.read()
"""
"""Forks twice and leaves its session, as a daemon does."""


def python(script: str) -> list[str]:
    return [sys.executable, "-c", script]


def started(command: list[str]) -> tuple[UserProgram, int]:
    """A program and the process id that it prints."""
    program = spawn_program(command, stdin=PIPE, stdout=PIPE)
    assert program.stdout is not None
    return program, int(program.stdout.readline())


@linux
@pytest.mark.parametrize(
    "command",
    [
        ["sh", "-c", f'"{sys.executable}" -c "$0" & wait', STAYS],
        python(DAEMON),
        python(STAYS),
    ],
    ids=["under a shell that waits", "a daemon", "the program itself"],
)
def test_what_it_left_has_ended_when_it_has(command: list[str]) -> None:
    program, left = started(command)
    stop(program, patience=0.2)
    assert not running(left)


@linux
def test_what_a_program_that_ended_by_itself_left_gets_a_moment_and_is_killed() -> None:
    program, left = started(["sh", "-c", f'"{sys.executable}" -c "$0" & read -r _; exit 3', STAYS])
    program.communicate(b"end\n", timeout=20)
    assert program.returncode == 3
    assert not running(left)


@pytest.mark.slow
@linux
@pytest.mark.parametrize("script", [STAYS, DAEMON], ids=["itself", "a daemon"])
def test_it_ends_with_a_killed_parent(script: str) -> None:
    text = (
        "import sys, time\n"
        "from arena.processes import spawn_program\n"
        "kept = spawn_program([sys.executable, '-c', sys.argv[1] + '\\ntime.sleep(300)'])\n"
        "time.sleep(300)"
    )
    parent = subprocess.Popen([*python(text), f"import time\n{script}"], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    left = int(parent.stdout.readline())
    assert running(left)
    parent.kill()
    until(lambda: not running(left), 10)
    parent.stdout.close()
    parent.wait()


@linux
def test_a_thread_that_started_it_may_end_before() -> None:
    found: list[tuple[UserProgram, int]] = []
    thread = threading.Thread(target=lambda: found.append(started(python(STAYS))))
    thread.start()
    thread.join()
    ((program, pid),) = found
    assert program.poll() is None
    assert running(pid)
    program.kill()
    program.wait()
    assert not running(pid)


def test_it_ends_as_the_program_did() -> None:
    assert spawn_program(python("raise SystemExit(7)")).wait(20) == 7
    script = "import os, signal; os.kill(os.getpid(), signal.{})"
    for name in ("SIGKILL", "SIGSEGV", "SIGTERM"):
        assert spawn_program(python(script.format(name))).wait(20) == -getattr(signal, name)


def test_signals_are_passed_on_to_the_program_and_what_shares_its_group() -> None:
    script = "trap 'echo told; exit 4' TERM; echo 0; while :; do sleep 0.05; done"
    program, _ = started(["sh", "-c", script])
    program.terminate()
    said, _ = program.communicate(timeout=20)
    assert (said, program.returncode) == (b"told\n", 4)


def test_its_streams_end_with_the_program() -> None:
    program = spawn_program(
        python("import sys; sys.stdout.write(sys.stdin.read())"), stdin=PIPE, stdout=PIPE
    )
    assert program.communicate(b"some lines\n", timeout=20)[0] == b"some lines\n"


def test_a_program_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    program = spawn_program([str(tmp_path / "nothing")], stderr=PIPE)
    _, words = program.communicate(timeout=20)
    assert program.returncode == 1
    assert words.decode() == f"Cannot start {tmp_path}/nothing: No such file or directory.\n"


def test_it_has_the_usual_signals_wherever_it_is_started() -> None:
    script = "import signal; print(signal.getsignal(signal.SIGINT), flush=True)"
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as under nohup
    try:
        program = spawn_program(python(script), stdout=PIPE)
    finally:
        signal.signal(signal.SIGINT, before)
    assert b"default_int_handler" in program.communicate(timeout=20)[0]
