"""No process of a hosted program outlives its shift or its worker."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from arena.processes import processes_of
from arena.worker.sandbox import confined
from tests.bots import PATIENCE
from tests.waiting import until_async
from tests.worker.confining import status_of
from tests.worker.conftest import MakeProgram


async def test_no_process_survives_its_shift(program: MakeProgram) -> None:
    build = program("""
import os, signal, time
for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
    try:
        signal.signal(number, signal.SIG_IGN)
    except OSError:
        pass
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
print("ready", flush=True)
time.sleep(60)
""")
    async with asyncio.timeout(PATIENCE), confined(build, socket=None) as running:
        while running.printed.text().count("ready") < 4:  # noqa: ASYNC110  a pipe tells no test
            await asyncio.sleep(0.01)
        processes = list(processes_of(running.first))
        assert len(processes) >= 5
    assert not [process for process in processes if status_of(process)]


async def test_a_program_ends_with_its_worker(program: MakeProgram, tmp_path: Path) -> None:
    build = program("import time; print('ready'); time.sleep(60)")
    worker = tmp_path / "worker.py"
    worker.write_text(f"""
import asyncio
from pathlib import Path
from arena.worker.sandbox import HostedProgram, confined

async def main():
    program = HostedProgram(Path({str(build.folder)!r}), ("python", "bot.py"))
    async with confined(program, socket=None) as running:
        while not running.printed.total:
            await asyncio.sleep(0.01)
        print(running.first, flush=True)
        await running.wait()

asyncio.run(main())
""")
    process = await asyncio.create_subprocess_exec(
        sys.executable, worker, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE):
        first = int(await process.stdout.readline())
        handle = os.pidfd_open(first)
        process.send_signal(signal.SIGKILL)
        await process.wait()
        gone = asyncio.Event()
        asyncio.get_running_loop().add_reader(handle, gone.set)
        await gone.wait()
        asyncio.get_running_loop().remove_reader(handle)
        os.close(handle)


async def test_workers_that_are_killed_at_any_time_leave_no_process(
    program: MakeProgram, tmp_path: Path
) -> None:
    mark = f"of-workers-of-{os.getpid()}"
    build = program("import time; time.sleep(600)", "python", "bot.py", mark)
    worker = tmp_path / "worker.py"
    worker.write_text(f"""
import asyncio, os, signal, sys
from pathlib import Path
from arena.worker.sandbox import HostedProgram, confined

async def main():
    program = HostedProgram(Path({str(build.folder)!r}), {build.command!r})
    loop = asyncio.get_running_loop()
    loop.call_later(float(sys.argv[1]), os.kill, os.getpid(), signal.SIGKILL)
    async with confined(program, socket=None) as running:
        await running.wait()

asyncio.run(main())
""")
    # A start takes 50 ms or so, and Python before it several times as much.
    for milliseconds in range(0, 300, 10):
        process = await asyncio.create_subprocess_exec(
            sys.executable, worker, str(milliseconds / 1000)
        )
        assert await process.wait() == -signal.SIGKILL
    await until_async(lambda: not any(mark in words for words in command_lines()), pause=0.1)


def command_lines() -> Iterator[list[str]]:
    """The words of each process of the machine."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            yield (process / "cmdline").read_text(errors="replace").split("\0")
