"""Programs in control groups, where this machine lets the tests make them."""

import asyncio
import sys
from pathlib import Path

import pytest

from arena.worker.cgroups import program_group
from arena.worker.limits import SandboxLimits
from tests.bots import PATIENCE
from tests.worker.conftest import MakeProgram

NO_GROUP = 3
WORKER = """
import asyncio, sys
from pathlib import Path
from arena.worker.cgroups import enter_leaf
from arena.worker.limits import MIB, SandboxLimits
from arena.worker.sandbox import HostedProgram, confined

async def main():
    limits = SandboxLimits(memory_bytes=96 * MIB)
    program = HostedProgram(Path(sys.argv[1]), ("python", "bot.py"))
    async with confined(program, socket=None, limits=limits) as running:
        await running.wait()
        print(running.ran_out_of_memory)
        print(running.printed.text())

why_not = enter_leaf()
if why_not:
    print(why_not)
    sys.exit(3)
asyncio.run(main())
"""


def test_a_process_that_is_no_worker_makes_no_group() -> None:
    with program_group(SandboxLimits()) as group:
        assert group is None


async def test_the_kernel_ends_a_program_that_takes_too_much_memory(
    program: MakeProgram, tmp_path: Path
) -> None:
    build = program("""
        print(open("/proc/self/cgroup").read(), flush=True)
        taken = bytearray(b"x") * 150_000_000
        print("it has it")
    """)
    worker = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", WORKER, str(build.folder)), stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(PATIENCE):
        said, _ = await worker.communicate()
    if worker.returncode == NO_GROUP:
        pytest.skip(f"no control groups can be made here: {said.decode().strip()}")
    assert said.startswith(b"True\n")
    assert b"it has it" not in said
    assert b"0::/" in said
