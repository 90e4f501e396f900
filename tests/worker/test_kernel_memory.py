"""What a program makes the kernel keep for it, beyond its own memory: each kind cannot be had, ends
at a limit of the kernel's, or is counted. Every try takes a little only.

That the calls for the rest are not there is in test_system_calls.py.
"""

import os
import time
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from arena.worker.limits import WATCH_EACH_SECONDS
from arena.worker.sandbox import confined
from arena.worker.users import program_user, why_shared
from tests.worker.confining import SMALL, outcome
from tests.worker.conftest import MakeProgram

USERS = range(2_010_000_000, 2_010_000_064)


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
async def test_files_in_memory_have_no_attributes(program: MakeProgram, folder: str) -> None:
    _, printed = await outcome(
        program(f"""
            import os
            open("{folder}/own", "w").close()
            for name in ("user.own", "trusted.own", "security.own", "system.posix_acl_access"):
                try:
                    os.setxattr("{folder}/own", name, bytes(1000))
                    print("ESCAPED", name)
                except OSError as error:
                    print(error.strerror)
        """)
    )
    assert printed == 4 * "Operation not supported\n"


@pytest.mark.parametrize(("folder", "most"), [("/tmp", SMALL.temporary_files), ("/dev/shm", 256)])
async def test_files_in_memory_that_hold_nothing_are_limited(
    program: MakeProgram, folder: str, most: int
) -> None:
    _, printed = await outcome(
        program(f"""
            import os
            made = 0
            try:
                for number in range(1_000):
                    os.symlink("x" * 100, f"{folder}/link{{number}}")
                    os.mkdir(f"{folder}/folder{{number}}")
                    open(f"{folder}/file{{number}}", "w").close()
                    made += 3
            except OSError as error:
                print(made, error.strerror)
        """)
    )
    made, reason = printed.split(" ", 1)
    assert most - 10 <= int(made) < most
    assert reason == "No space left on device\n"


async def test_pipes_keep_their_size_and_are_counted(program: MakeProgram) -> None:
    sentence, printed = await outcome(
        program("""
            import errno, fcntl, os, time
            kept = [os.pipe()]
            try:
                fcntl.fcntl(kept[0][1], 1031, 1 << 20)
                print("ESCAPED")
            except OSError as error:
                print(errno.errorcode[error.errno], flush=True)
            for _ in range(14):
                if os.fork() == 0:
                    kept = [os.pipe() for _ in range(20)]
                    time.sleep(20)
                    os._exit(0)
            time.sleep(20)
        """)
    )
    assert (sentence, printed) == ("It held more than 256 pipes open.", "ENOSYS\n")


WATCHES = """
    import os, select, time
    watching = [select.epoll() for _ in range(20)]
    files = [os.eventfd(0) for _ in range(20)]
    made = 0
    def watch():
        global made
        for number in range(50, 70):
            for file in files:
                os.dup2(file, number)
                for one in watching:
                    try:
                        one.register(number)
                        made += 1
                    except FileExistsError:
                        pass
"""
"""A file has a watch for each number under which it is watched, closed since or not."""


async def test_watches_of_epoll_are_counted_however_they_come_about(program: MakeProgram) -> None:
    text = dedent(WATCHES) + "os.fork()\nwatch()\ntime.sleep(20)\n"
    sentence, _ = await outcome(program(text), limits=replace(SMALL, watches=2_000))
    assert sentence == "It watched more than 2,000 files by epoll."


async def test_watches_of_epoll_wait_when_they_are_many(program: MakeProgram) -> None:
    text = dedent(WATCHES) + dedent("""
        import threading
        threading.Thread(target=watch, daemon=True).start()
        until = time.monotonic() + 2
        while made < 8_000 and time.monotonic() < until:
            time.sleep(0.01)
        print(made, flush=True)
        os._exit(0)
    """)
    began = time.monotonic()
    _, printed = await outcome(program(text))
    told, made = printed.splitlines()
    assert told == (
        "The arena: it watched 4,096 files by epoll; from now on it may watch only 500 a second."
    )
    assert 4_096 <= int(made) <= 4_096 + (time.monotonic() - began) / WATCH_EACH_SECONDS


async def test_timers_and_signals_that_wait_are_limited(program: MakeProgram) -> None:
    _, printed = await outcome(
        program("""
            import ctypes
            libc, made, timer = ctypes.CDLL(None), 0, ctypes.c_void_p()
            while made < 1_000 and libc.timer_create(1, None, ctypes.byref(timer)) == 0:
                made += 1
            print(made)
        """)
    )
    assert printed == f"{SMALL.signals}\n"


async def test_open_files_of_all_processes_are_counted_together(program: MakeProgram) -> None:
    sentence, _ = await outcome(
        program("""
            import os, time
            kept = [os.open("/dev/null", os.O_RDONLY) for _ in range(40)]
            for _ in range(15):
                if os.fork() == 0:
                    kept += [os.dup(0) for _ in range(15)]
                    time.sleep(20)
                    os._exit(0)
            time.sleep(20)
        """),
        limits=replace(SMALL, files=500),
    )
    assert sentence == "It held more than 500 files open."


async def test_a_process_that_hides_what_it_holds_is_ended_or_seen(program: MakeProgram) -> None:
    """Nobody but root may look into a process whose program its user may not read."""
    sentence, _ = await outcome(
        program("""
            import os, shutil
            shutil.copy("/usr/bin/sleep", "/tmp/unread")
            os.chmod("/tmp/unread", 0o111)
            kept = [os.pipe() for _ in range(20)]
            for pipe in kept:
                os.set_inheritable(pipe[0], True)
            for _ in range(20):
                if os.fork() == 0:
                    kept = [os.pipe() for _ in range(8)]
                    for pipe in kept:
                        os.set_inheritable(pipe[0], True)
                    os.execv("/tmp/unread", ["/tmp/unread", "20"])
            os.wait()
        """),
        limits=replace(SMALL, pipes=100),
    )
    seen = "It held more than 100 pipes open."
    assert sentence == (seen if os.geteuid() == 0 else "It hid one of its processes.")


async def test_no_process_hides_by_a_call(program: MakeProgram) -> None:
    _, printed = await outcome(
        program("""
            import ctypes
            libc = ctypes.CDLL(None)
            print(libc.prctl(4, 0, 0, 0, 0), libc.prctl(3, 0, 0, 0, 0))
        """)
    )
    assert printed == "-1 1\n"


def user_of(process: int) -> int:
    return Path(f"/proc/{process}").stat().st_uid


async def test_programs_have_users_of_their_own_where_the_worker_is_root(
    program: MakeProgram,
) -> None:
    waits = "import time; time.sleep(60)"
    async with (
        confined(program(waits, name="one"), socket=None) as one,
        confined(program(waits, name="other"), socket=None) as other,
    ):
        users = [user_of(running.first) for running in (one, other)]
    if why_shared(USERS):
        assert len(set(users)) == 1
    else:
        assert len(set(users)) == 2
        assert all(user in range(2_010_000_000, 2_010_004_096) for user in users)


def test_no_two_programs_get_the_same_user() -> None:
    if why_shared(USERS):
        pytest.skip(why_shared(USERS))
    last = USERS[-2:]  # programs of other tests take the first that are free
    with program_user(last) as one:
        with program_user(last) as other:
            assert {one, other} == set(last)
        with program_user(last) as later:
            assert later == other
    with program_user(last[:1]) as only:
        assert only == last[0]
        with pytest.raises(OSError, match="are taken"), program_user(last[:1]):
            pass


def test_it_is_told_why_programs_share_a_user() -> None:
    beyond = range(2**32 - 10, 2**32 + 10)
    lacking = f"this container lacks the users {beyond.start} to {beyond.stop - 1}"
    assert why_shared(beyond) == (lacking if os.geteuid() == 0 else "the worker is not root")
