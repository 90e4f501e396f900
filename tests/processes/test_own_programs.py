"""Children do not outlive us, and stop when they are told to."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from arena.processes import launch, spawn, stop, stop_all
from tests.processes.process_states import running
from tests.waiting import until

PARENT = """
import sys, time
from arena.processes import spawn
print(spawn([sys.executable, "-c", "import time; time.sleep(60)"]).pid, flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux's")
def test_a_child_dies_with_a_killed_parent() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert running(child)
    parent.kill()
    parent.communicate()
    until(lambda: not running(child), 10)


def test_a_child_whose_parent_died_before_it_could_ask_does_not_start() -> None:
    nobody = "1" if os.getpid() != 1 else "2"
    command = [sys.executable, launch.__file__, nobody, "15", "0", "keep", "--", "echo", "started"]
    answer = subprocess.run(command, capture_output=True)
    assert (answer.returncode, answer.stdout, answer.stderr) == (1, b"", b"")


def test_a_child_gets_its_environment_its_directory_and_a_session_of_its_own(
    tmp_path: Path,
) -> None:
    script = "import os; print(os.environ['WORD'], os.getcwd(), os.getsid(0) == os.getpid())"
    child = spawn(
        [sys.executable, "-c", script],
        env={"WORD": "bluff"},
        cwd=tmp_path,
        stdout=subprocess.PIPE,
    )
    output, _ = child.communicate()
    assert output.decode().split() == ["bluff", str(tmp_path), "True"]


def test_a_program_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    child = spawn([tmp_path / "nothing"], stderr=subprocess.PIPE)
    _, words = child.communicate()
    assert child.returncode == 1
    assert words.decode() == f"Cannot start {tmp_path}/nothing: No such file or directory.\n"


def test_stopping_tries_the_signals_in_turn_and_then_kills() -> None:
    deaf = (
        "import signal, time; signal.signal({}, signal.SIG_IGN); print(flush=True); time.sleep(60)"
    )
    for ignored, asked, code in (
        ("signal.SIGINT", (signal.SIGINT, signal.SIGTERM), -signal.SIGTERM),
        ("signal.SIGTERM", (), -signal.SIGKILL),
    ):
        child = spawn([sys.executable, "-c", deaf.format(ignored)], stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        assert stop(child, *asked, patience=0.05) == code
        assert stop(child) == code
        child.stdout.close()


def test_only_the_main_thread_has_children() -> None:
    raised: list[BaseException] = []

    def try_it() -> None:
        try:
            spawn(["true"])
        except RuntimeError as error:
            raised.append(error)

    thread = threading.Thread(target=try_it)
    thread.start()
    thread.join()
    assert "a thread that outlives them" in str(raised[0])


STANDING = """
import os, pathlib
group = pathlib.Path("/proc/self/autogroup")
print(os.nice(0), group.read_text().split()[-1] if group.exists() else 7)
"""


def standing(count: int) -> list[list[bytes]]:
    """What so many programs, started at the same time, say of how far they stand back."""
    started = [
        spawn([sys.executable, "-c", STANDING], stdout=subprocess.PIPE, niceness=7)
        for _ in range(count)
    ]
    return [program.communicate()[0].split() for program in started]


def test_programs_can_stand_back_behind_others_and_behind_other_sessions() -> None:
    (alone,) = standing(1)
    assert alone[0] == str(min(19, os.nice(0) + 7)).encode()
    # Where a system lets nobody change the session's share, it is 0 for one as for all.
    assert alone[1] in (b"7", b"0")
    assert standing(3) == [alone] * 3


def test_several_are_stopped_at_the_same_time_and_the_deaf_are_killed() -> None:
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    polite = "import time"
    rest = "; print(flush=True); time.sleep(60)"
    children = [
        spawn([sys.executable, "-c", script + rest], stdout=subprocess.PIPE)
        for script in (deaf, polite, deaf)
    ]
    for child in children:
        assert child.stdout is not None
        child.stdout.readline()
    begun = time.monotonic()
    stop_all(children, patience=0.5)
    assert time.monotonic() - begun >= 0.5
    assert [child.returncode for child in children] == [
        -signal.SIGKILL,
        -signal.SIGTERM,
        -signal.SIGKILL,
    ]


def test_ctrl_c_works_in_what_is_started_where_it_was_ignored() -> None:
    wait = "import time; print('ready', flush=True); time.sleep(60)"
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as under nohup
    try:
        child = spawn([sys.executable, "-c", wait], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    finally:
        signal.signal(signal.SIGINT, before)
    assert child.stdout is not None
    child.stdout.readline()
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=30)
    assert b"KeyboardInterrupt" in said
