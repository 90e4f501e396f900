"""A hosted bot plays for a shift, and its program is ended when its matches are over."""

import asyncio
import os
import re
from contextlib import AsyncExitStack
from time import monotonic

import pytest

from arena.worker.sandbox import confined
from arena.worker.shift import ShiftEnding, play_shift
from tests.bots import PATIENCE
from tests.scene import Scene
from tests.worker.conftest import GOOD_BOT, MakePlace, MakeProgram

STUBBORN = """
    import signal, threading
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    threading.Thread(target=threading.Event().wait).start()
"""
"""It goes on for ever, whatever its connection says."""


async def test_two_hosted_bots_play_and_no_match_of_theirs_is_cut_off(
    scene: Scene, program: MakeProgram, place: MakePlace
) -> None:
    build = program(STUBBORN + GOOD_BOT)
    leave = asyncio.Event()
    scene.arena.when_recorded(4, leave.set)
    async with asyncio.timeout(PATIENCE):
        reports = await asyncio.gather(
            *[
                play_shift(build, await place(bot), seconds=PATIENCE, leave=leave)
                for bot in ("ann", "bob")
            ]
        )
    for report in reports:
        assert report.ending is ShiftEnding.PLAYED, report
        assert "Traceback" not in report.printed
        assert report.processor_seconds > 0
        assert report.memory_bytes > 0
    results = await scene.results("ann")
    assert len(results) >= 4
    assert await scene.faults("ann") == await scene.faults("bob") == 0
    assert scene.arena.director.running == 0


@pytest.mark.alone
async def test_two_hosted_bots_beside_busy_loops_make_no_fault(
    scene: Scene, program: MakeProgram, place: MakePlace
) -> None:
    busy = program("import os\nfor _ in range(3): os.fork()\nwhile True: pass", name="busy")
    build, leave = program(GOOD_BOT), asyncio.Event()
    scene.arena.when_recorded(20, leave.set)
    async with asyncio.timeout(2 * PATIENCE), AsyncExitStack() as stack:
        loops = [
            await stack.enter_async_context(confined(busy, socket=None))
            for _ in range(2 * (os.cpu_count() or 1))
        ]
        bots = [await place(bot) for bot in ("ann", "bob")]
        reports = await asyncio.gather(
            *[play_shift(build, bot, seconds=2 * PATIENCE, leave=leave) for bot in bots]
        )
        assert all(loop.look().processor_seconds > 0 for loop in loops)
    assert [report.ending for report in reports] == [ShiftEnding.PLAYED] * 2, reports
    assert len(await scene.results("ann")) >= 20
    assert await scene.faults("ann") == await scene.faults("bob") == 0


async def test_another_shift_may_begin_while_one_drains(
    scene: Scene, program: MakeProgram, place: MakePlace
) -> None:
    draining = asyncio.Event()
    report = await play_shift(
        program(GOOD_BOT), await place("ann"), seconds=0, on_ending=draining.set
    )
    assert draining.is_set()
    assert report.ending is ShiftEnding.PLAYED


async def test_another_shift_may_begin_as_early_as_a_program_takes_to_start(
    scene: Scene, program: MakeProgram, place: MakePlace
) -> None:
    called: list[float] = []
    began = monotonic()
    report = await play_shift(
        program("    import time; time.sleep(1)" + GOOD_BOT),
        await place("ann"),
        seconds=4,
        most_ahead_seconds=PATIENCE,
        on_ending=lambda: called.append(monotonic()),
    )
    assert report.ending is ShiftEnding.PLAYED
    assert monotonic() - called[0] > 1
    assert called[0] - began > 4


async def test_the_report_shows_what_a_program_printed_that_ended_by_itself(
    scene: Scene, program: MakeProgram, place: MakePlace
) -> None:
    report = await play_shift(program("raise ValueError('mine')"), await place("ann"), seconds=60)
    assert report.ending is ShiftEnding.ENDED
    assert re.fullmatch(r"Its program ended with code 1 after \d+\.\d s\.", report.sentence)
    assert "ValueError: mine" in report.printed


async def test_a_program_that_hangs_at_its_start_is_ended(
    scene: Scene, program: MakeProgram, place: MakePlace
) -> None:
    report = await play_shift(
        program("import time; print('here'); time.sleep(600)"),
        await place("ann"),
        seconds=60,
        connect_seconds=4,
    )
    assert report.ending is ShiftEnding.NOT_CONNECTED
    assert report.sentence == "Its program did not connect within 4 s."
    assert re.fullmatch(r"\d\.\d{3} here\n", report.printed)


async def test_a_token_that_nobody_has_ends_a_shift(
    scene: Scene, program: MakeProgram, place: MakePlace
) -> None:
    ann = await place("ann")
    await scene.arena.store.workers.remove("runs-ann", "test")
    report = await play_shift(program("import time; time.sleep(600)"), ann, seconds=60)
    assert report.ending is ShiftEnding.REFUSED
    assert "no bot has this token" in report.sentence
