"""A program is not waited for in time in which it could not run."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.conformance.checked_bots import StartingReferee
from arena.conformance.scripted_referee import UnmetError
from arena.local.programs.attentive_timer import LONGEST_GAP, ProgramTimer
from arena.local.programs.program import BotProgram
from arena.processes import children_of, processes_of

SLEEPS = "import time; time.sleep(60)"
SECONDS = 0.6


@contextmanager
def running(text: str, folder: Path) -> Iterator[int]:
    """A program. Yields the process above all of it."""
    before = children_of(os.getpid())
    program = BotProgram("it", [sys.executable, "-c", text], "", "", folder / "log")
    try:
        (process,) = set(children_of(os.getpid())) - set(before)
        yield process
    finally:
        program.kill()


def send(process: int, number: signal.Signals) -> None:
    for one in processes_of(process):
        os.kill(one, number)


def counted(timer: ProgramTimer, seconds: float = SECONDS) -> float:
    """How much of so many seconds the timer counts."""
    began, until = timer.now(), time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(0.02)
        timer.now()
    return timer.now() - began


@pytest.mark.slow
def test_what_sleeps_and_what_computes_is_counted_and_what_is_stopped_is_not(
    tmp_path: Path,
) -> None:
    with running(SLEEPS, tmp_path) as process:
        timer = ProgramTimer(process)
        while counted(timer) < SECONDS / 2:  # it has started, and sleeps
            pass
        send(process, signal.SIGSTOP)
        stopped = counted(timer)
        send(process, signal.SIGCONT)
        assert stopped < SECONDS / 2
    with running("while True: pass", tmp_path) as process:
        timer = ProgramTimer(process)
        began = time.monotonic()
        while timer.now() < SECONDS / 2:
            assert time.monotonic() - began < 60, "what it computes is not counted"
            time.sleep(0.1)


@pytest.mark.slow
def test_time_in_which_nobody_looked_is_not_counted(tmp_path: Path) -> None:
    with running(SLEEPS, tmp_path) as process:
        timer = ProgramTimer(process)
        before = timer.now()
        time.sleep(LONGEST_GAP + 0.1)
        assert timer.now() == before


@pytest.mark.slow
async def test_a_stopped_program_is_refused_for_its_silence_only_when_it_runs_again(
    tmp_path: Path,
) -> None:
    referee = StartingReferee([sys.executable, "-c", SLEEPS], tmp_path / "log")
    referee.connect_seconds = SECONDS
    async with referee.listening():
        before = children_of(os.getpid())
        referee.start()
        (process,) = set(children_of(os.getpid())) - set(before)
        send(process, signal.SIGSTOP)
        waiting = asyncio.create_task(referee.stream())
        await asyncio.wait({waiting}, timeout=2 * SECONDS)
        assert not waiting.done()
        send(process, signal.SIGCONT)
        with pytest.raises(UnmetError, match="opened no stream within"):
            await waiting
