"""The time in which a command does not run, because of Ctrl-Z for one, is no bot's."""

import asyncio
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.local.loading import SAMPLE_BOTS
from arena.local.programs.attentive_timer import LONGEST_GAP, AttentiveTimer

STOPPED_SECONDS = 3.5
"""Longer than a turn, its bank and what is waited for beyond."""


@pytest.mark.slow
async def test_time_in_which_the_loop_does_not_run_does_not_pass() -> None:
    timer = AttentiveTimer()
    rung = asyncio.Event()
    began = timer.now()
    timer.call_at(began + LONGEST_GAP, rung.set)
    cancelled = timer.call_at(began + LONGEST_GAP, pytest.fail)
    time.sleep(2 * LONGEST_GAP)  # noqa: ASYNC251  the loop is to stand
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert timer.now() - began < LONGEST_GAP
    assert not rung.is_set()
    cancelled.cancel()

    async def look() -> None:
        while not rung.is_set():
            timer.now()
            await asyncio.sleep(0.05)

    await asyncio.wait_for(look(), 10)
    assert timer.now() - began >= LONGEST_GAP


@pytest.mark.system  # chaos
@pytest.mark.slow
def test_a_series_among_programs_outlives_stops_of_the_command(tmp_path: Path) -> None:
    arena = Path(sys.executable).with_name("arena")
    program = f"{sys.executable} {SAMPLE_BOTS / 'honest.py'}"
    words = ("play", program, "random", "-n", "6000", "--time", "turn=2s,bank=0s", "--json")
    with subprocess.Popen([arena, *words], cwd=tmp_path, stdout=subprocess.PIPE) as command:
        for seconds in (2, 1, 1):  # less than the matches take on a quick machine
            with pytest.raises(subprocess.TimeoutExpired):
                command.communicate(timeout=seconds)
            command.send_signal(signal.SIGSTOP)
            time.sleep(STOPPED_SECONDS)
            command.send_signal(signal.SIGCONT)
        said, _ = command.communicate(timeout=200)
    assert command.returncode == 0
    told = json.loads(said)
    assert (told["matches"], told["faults"]) == (6000, [])
