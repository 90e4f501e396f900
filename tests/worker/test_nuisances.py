"""Programs that take all they can get: each gets what it may have, and no more.

All loops end by themselves soon enough to harm nobody if they are not stopped.
"""

import time

import pytest

from arena.worker.limits import MIB, SandboxLimits
from arena.worker.sandbox import confined
from tests.worker.confining import SMALL, outcome
from tests.worker.conftest import MakeProgram


async def test_a_fork_bomb_ends_at_the_limit_of_tasks(program: MakeProgram) -> None:
    _, printed = await outcome(
        program("""
            import os, time
            forked = 0
            try:
                while forked < 200:
                    if os.fork() == 0:
                        time.sleep(5)
                        os._exit(0)
                    forked += 1
            except OSError as error:
                print(forked, error.strerror)
        """)
    )
    forked, reason = printed.split(" ", 1)
    assert SMALL.tasks - 4 <= int(forked) < SMALL.tasks
    assert reason == "Resource temporarily unavailable\n"


async def test_threads_count_as_tasks(program: MakeProgram) -> None:
    _, printed = await outcome(
        program("""
            import os, threading, time
            try:
                for count in range(200):
                    threading.Thread(target=time.sleep, args=(2,)).start()
            except RuntimeError as error:
                print(count, error, flush=True)
            os._exit(0)
        """)
    )
    assert int(printed.split(" ", 1)[0]) < SMALL.tasks


async def test_a_process_that_takes_too_much_memory_is_stopped(program: MakeProgram) -> None:
    sentence, printed = await outcome(
        program("""
            import time
            taken = []
            for _ in range(40):
                taken.append(b"x" * 10_000_000)
                print(len(taken), flush=True)
                time.sleep(0.02)
        """)
    )
    assert (
        sentence == "It used more than 96 MiB of memory."
        or "MemoryError" in printed
        or (printed.splitlines()[-1] != "40")
    )


async def test_processes_that_take_too_much_memory_together_are_stopped(
    program: MakeProgram,
) -> None:
    sentence, _ = await outcome(
        program("""
            import os, time
            for _ in range(6):
                if os.fork() == 0:
                    taken = bytearray(os.urandom(1)) * 25_000_000
                    time.sleep(20)
                    os._exit(0)
            time.sleep(20)
        """)
    )
    assert sentence == "It used more than 96 MiB of memory."


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
async def test_a_full_disk_is_its_own(program: MakeProgram, folder: str) -> None:
    _, printed = await outcome(
        program(f"""
            import os
            written = 0
            try:
                for number in range(64):
                    with open(f"{folder}/{{number}}", "wb") as file:
                        file.write(bytes(1 << 20))
                        written += 1
            except OSError as error:
                print(written, error.strerror)
        """)
    )
    written, reason = printed.split(" ", 1)
    assert int(written) <= 4
    assert reason == "No space left on device\n"


async def test_many_small_files_are_too_many(program: MakeProgram) -> None:
    sentence, _ = await outcome(
        program("""
            import time
            for number in range(3_000):
                open(f"/tmp/{number}", "w").close()
            time.sleep(20)
        """)
    )
    assert sentence == "It made more than 500 files in /tmp."


async def test_open_files_end_at_their_limit(program: MakeProgram) -> None:
    _, printed = await outcome(
        program("""
            import os
            opened = 0
            try:
                for _ in range(10_000):
                    os.open("/dev/null", os.O_RDONLY)
                    opened += 1
            except OSError as error:
                print(opened, error.strerror)
        """)
    )
    opened, reason = printed.split(" ", 1)
    assert int(opened) < SMALL.open_files
    assert reason == "Too many open files\n"


async def test_a_flood_of_output_is_cut_and_ends_the_program(program: MakeProgram) -> None:
    sentence, printed = await outcome(
        program("""
            import os
            line = b"x" * 1023 + b"\\n"
            for _ in range(1 << 20):
                os.write(1, line)
        """)
    )
    assert sentence == "It printed more than 1 MiB."
    assert len(printed) < 40_000
    assert "bytes are left out" in printed


async def test_busy_loops_get_the_processors_they_may_have(program: MakeProgram) -> None:
    build = program("""
        import os, time
        for _ in range(4):
            os.fork()
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            pass
    """)
    began = time.monotonic()
    async with confined(build, socket=None, limits=SandboxLimits(memory_bytes=64 * MIB)) as running:
        await running.wait()
        used = running.look().processor_seconds
    # A second's grace: the limit holds over periods, and some of it is counted late.
    assert used <= 1.0 * (time.monotonic() - began) + 0.3
