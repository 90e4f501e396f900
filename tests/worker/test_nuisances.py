"""Programs that take all they can get: each gets what it may have, and no more.

All loops end by themselves soon enough to harm nobody if they are not stopped.
"""

import asyncio
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path

import pytest

from arena.worker.limits import (
    CONNECT_EACH_SECONDS,
    CONNECTS_AT_ONCE,
    MIB,
    SandboxLimits,
)
from arena.worker.printed import Printed
from arena.worker.sandbox import SandboxError, at_gate, confined
from arena.worker.shift import play_shift
from tests.scene import Scene
from tests.worker.confining import SMALL, outcome
from tests.worker.conftest import MakePlace, MakeProgram


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


async def test_tables_of_pages_count_as_memory(program: MakeProgram) -> None:
    sentence, _ = await outcome(
        program("""
            import mmap, time
            spans = []
            for _ in range(32):
                spans.append(mmap.mmap(-1, 4 << 30, mmap.MAP_PRIVATE | 0x4000, mmap.PROT_READ))
                for place in range(0, 4 << 30, 2 << 20):
                    spans[-1][place]
            time.sleep(20)
        """)
    )
    assert sentence == "It used more than 96 MiB of memory."


async def test_what_all_programs_of_a_user_share_is_not_used_up(program: MakeProgram) -> None:
    """Signals that wait, and watches of files."""
    _, printed = await outcome(
        program("""
            import ctypes, os, signal
            libc = ctypes.CDLL(None)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
            queued = 0
            while queued < 10_000 and libc.sigqueue(os.getpid(), signal.SIGRTMIN, None) == 0:
                queued += 1
            print(queued, libc.inotify_init1(0))
        """)
    )
    assert printed == f"{SMALL.signals} -1\n"


async def test_many_small_mappings_are_too_many(program: MakeProgram) -> None:
    """Each takes the kernel memory that it counts as nobody's."""
    sentence, printed = await outcome(
        program("""
            import mmap, os, time
            spans = []
            for number in range(20_000):  # neighbours that are alike are one
                kind = mmap.PROT_READ if number % 2 else mmap.PROT_READ | mmap.PROT_WRITE
                spans.append(mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, kind))
            print(sum(1 for _ in open("/proc/self/maps")) > 20_000, flush=True)
            os.fork()
            time.sleep(60)
        """)
    )
    assert (sentence, printed) == ("It made more than 32,000 mappings of memory.", "True\n")


async def test_locks_of_files_do_nothing(program: MakeProgram) -> None:
    """They would take memory, and be seen by others who see the same file."""
    _, printed = await outcome(
        program("""
            import ctypes, fcntl, platform, sqlite3, struct
            libc = ctypes.CDLL(None)
            whole = struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0)
            with sqlite3.connect("/tmp/tables.db") as tables:
                tables.execute("CREATE TABLE moves (state TEXT)")
            with open("/tmp/file", "w") as file:
                fcntl.lockf(file, fcntl.LOCK_EX)
                fcntl.fcntl(file, fcntl.F_OFD_SETLK, whole)
                fcntl.flock(file, fcntl.LOCK_EX)
                # The kernel takes 32 bits of a command.
                call = ctypes.c_long(72 if platform.machine() == "x86_64" else 25)
                command = ctypes.c_long(fcntl.F_SETLK | 1 << 32)
                print(libc.syscall(call, file.fileno(), command, whole))
            with open("/usr/bin/env") as shared:
                fcntl.flock(shared, fcntl.LOCK_EX)
                print(repr(open("/proc/locks").read()))
        """)
    )
    assert printed == "0\n''\n"


async def test_there_is_no_memory_that_is_nobodys(program: MakeProgram) -> None:
    _, printed = await outcome(
        program("""
            import mmap, os
            for file in (-1, os.open("/dev/zero", os.O_RDWR)):
                try:
                    mmap.mmap(file, 4096)
                    print("ESCAPED")
                except OSError as error:
                    print(error.strerror)
        """)
    )
    assert printed == "Operation not permitted\nNo such device\n"


async def test_sockets_that_are_too_many_and_their_buffers_are_limited(
    program: MakeProgram,
) -> None:
    sentence, printed = await outcome(
        program("""
            import os, socket, time
            one, other = socket.socketpair()
            before = one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 10 * before)
            print(one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) == before, flush=True)
            for _ in range(9):
                if os.fork() == 0:
                    kept = [socket.socketpair() for _ in range(20)]
                    time.sleep(20)
                    os._exit(0)
            time.sleep(20)
        """)
    )
    assert (sentence, printed) == ("It opened more than 128 sockets.", "True\n")


async def test_connections_wait_when_they_are_many_whoever_opens_them(
    program: MakeProgram, tmp_path: Path
) -> None:
    build = program("""
        import os, socket, threading, time
        end = time.monotonic() + 2
        def connect():
            while time.monotonic() < end:
                with socket.socket(socket.AF_UNIX) as line:
                    line.connect("/run/referee.sock")
        os.fork()
        for _ in range(4):
            threading.Thread(target=connect).start()
    """)
    began = time.monotonic()
    with socket.socket(socket.AF_UNIX) as referee:
        referee.bind(str(tmp_path / "referee.sock"))
        (tmp_path / "referee.sock").chmod(0o666)
        referee.listen(1000)
        referee.setblocking(False)
        sentence, printed = await outcome(build, tmp_path / "referee.sock")
        connected = 0
        with suppress(BlockingIOError):
            while True:
                referee.accept()[0].close()
                connected += 1
    assert not sentence
    due = CONNECTS_AT_ONCE + (time.monotonic() - began) / CONNECT_EACH_SECONDS
    assert CONNECTS_AT_ONCE <= connected <= due
    assert printed == (
        "The arena: it connected 32 times; from now on it may connect only once every 0.5 s.\n"
    )


async def test_who_is_interrupted_while_it_waits_to_connect_connects_all_the_same(
    program: MakeProgram,
) -> None:
    sentence, printed = await outcome(
        program(f"""
            import signal, socket
            signal.signal(signal.SIGALRM, lambda *_: None)
            signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
            for _ in range({CONNECTS_AT_ONCE + 3}):
                with socket.socket(socket.AF_UNIX) as line:
                    line.connect_ex("/nothing")
            print("done")
        """)
    )
    assert not sentence
    assert printed.endswith("done\n")


async def test_a_flood_of_frames_ends_the_program_that_sends_it(
    scene: Scene, program: MakeProgram, place: MakePlace
) -> None:
    """Each costs the referee far more than the program."""
    build = program("""
        import socket
        from contextlib import suppress
        preface = b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n" + bytes(3) + b"\\4" + bytes(5)
        more_window = b"\\0\\0\\4\\x08\\0" + bytes(4) + b"\\0\\0\\0\\1"
        while True:  # the referee cuts each line
            with suppress(OSError), socket.socket(socket.AF_UNIX) as line:
                line.connect("/run/referee.sock")
                line.sendall(preface)
                while True:
                    line.sendall(more_window * 5_000)
    """)
    report = await play_shift(build, await place("ann"), seconds=60)
    assert report.sentence == "It sent the referee far more than answers."


async def test_a_program_that_waits_to_connect_is_ended_as_any_other(
    program: MakeProgram,
) -> None:
    build = program("""
        import socket
        while True:
            with socket.socket(socket.AF_UNIX) as line:
                line.connect_ex("/nothing")
    """)
    async with confined(build, socket=None) as running:
        while not running.printed.total:  # noqa: ASYNC110  a pipe tells no test
            await asyncio.sleep(0.01)
    assert await running.wait() == 128 + signal.SIGKILL


async def test_what_is_said_before_the_gate_is_kept(tmp_path: Path) -> None:
    sandbox = "echo 'a warning' >&2; sh -c 'sh -c \"echo ready; read go\"; true'; true"
    process = await asyncio.create_subprocess_exec(
        *("sh", "-c", sandbox),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdin is not None
    printed = Printed()
    assert await at_gate(process, printed) != process.pid
    assert printed.text() == "a warning\n"
    process.stdin.close()
    await process.wait()


async def test_what_is_said_instead_of_the_gate_is_the_reason(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *("sh", "-c", "echo no namespaces here"), stdout=asyncio.subprocess.PIPE
    )
    with pytest.raises(SandboxError, match="no namespaces here"):
        await at_gate(process, Printed())
    await process.wait()


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


async def test_no_file_is_larger_than_it_may_be_though_it_takes_no_place(
    program: MakeProgram,
) -> None:
    """Of a file with a hole no disk is full: this is the limit of a file's size alone."""
    _, printed = await outcome(
        program(f"""
            with open("/tmp/hole", "wb") as file:
                file.truncate({SMALL.temporary_bytes})
                try:
                    file.truncate({SMALL.temporary_bytes} + 1)
                except OSError as error:
                    print(error.strerror)
        """)
    )
    assert printed == "File too large\n"


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


@pytest.mark.alone
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
