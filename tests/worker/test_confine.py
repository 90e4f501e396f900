"""The program that runs another one in the sandbox passes on what that one prints."""

import asyncio
import signal
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from arena.worker.confine import confined_command
from arena.worker.printed import MOST_KEPT
from arena.worker.sandbox import HostedProgram
from tests.bots import PATIENCE
from tests.scene import Scene
from tests.worker.conftest import MakeProgram


@pytest.fixture
def socket(scene: Scene, tmp_path: Path) -> Path:
    """The socket of a referee."""
    return tmp_path / "referee.sock"


@asynccontextmanager
async def started(hosted: HostedProgram, socket: Path) -> AsyncIterator[Process]:
    """Run the program, and end it with the block if it still runs."""
    command = confined_command(hosted.folder, socket, list(hosted.command))
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=STDOUT)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


async def test_a_line_comes_while_the_program_runs_and_sigterm_ends_both(
    socket: Path, program: MakeProgram
) -> None:
    waits = """
        import sys, time
        for part in (b"two halves: \\xc3", b"\\xa9\\n", b"no end of line"):
            sys.stdout.buffer.write(part)
            sys.stdout.buffer.flush()
            time.sleep(0.05)
        time.sleep(600)
    """
    async with started(program(waits), socket) as process, asyncio.timeout(PATIENCE):
        assert process.stdout is not None
        assert (await process.stdout.readline()).decode() == "two halves: é\n"
        await asyncio.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        assert (await process.stdout.read()).decode() == "no end of line"
        assert await process.wait() == 128 + signal.SIGKILL


async def test_of_much_output_the_beginning_and_the_end_are_kept(
    socket: Path, program: MakeProgram
) -> None:
    prints = f"""
        for number in range({MOST_KEPT}):
            print(number)
    """
    async with started(program(prints), socket) as process, asyncio.timeout(PATIENCE):
        said, _ = await process.communicate()
    assert process.returncode == 0
    assert said.startswith(b"0\n1\n2\n") and said.endswith(f"{MOST_KEPT - 1}\n".encode())
    assert b"bytes are left out" in said
    assert len(said) < 2 * MOST_KEPT
