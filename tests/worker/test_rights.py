"""The rights of a hosted program: which system calls, priority and user it has."""

import os
import shutil

import pytest

from arena.worker.sandbox import confined
from tests.worker.confining import outcome, status_of, tried
from tests.worker.conftest import MakeProgram


async def test_system_calls_that_no_bot_needs_are_refused(program: MakeProgram) -> None:
    if os.uname().machine != "x86_64":
        pytest.skip("the calls are tried by their numbers on x86-64")
    calls = {
        "mount": (165, 0, 0, 0, 0, 0),
        "umount": (166, 0, 0),
        "ptrace": (101, 0, 0, 0, 0),
        "bpf": (321, 0, 0, 0),
        "perf": (298, 0, 0, -1, -1, 0),
        "keyctl": (250, 0, -3, 0),
        "add_key": (248, 0, 0, 0, 0, 0),
        "unshare": (272, 0x10000000),
        "unshare_net": (272, 0x40000000),
        "clone_user": (56, 0x10000000 | 17, 0, 0, 0, 0),
        "clone_pid": (56, 0x20000000 | 17, 0, 0, 0, 0),
        "setns": (308, 0, 0),
        "userfaultfd": (323, 1),
        "open_tree": (428, -100, 0, 1),
        "module": (175, 0, 0, 0),
        "kexec": (246, 0, 0, 0, 0),
        "chroot": (161, 0),
        "shmget": (29, 0, 4096, 0o1600),
        "affinity": (203, 0, 0, 0),
        "handle": (304, -100, 0, 0),
    }
    calls |= {"io_uring": (425, 1, 0), "clone3": (435, 0, 0), "memfd": (319, 0, 0)}
    calls |= {"open_tree_attr": (467, -100, 0, 1, 0, 0), "inotify": (294, 0)}
    lines = [f"attempt({name!r}, lambda: system_call{call})" for name, call in calls.items()]
    here = await tried(program, "\n" + "\n".join(lines))
    assert here == dict.fromkeys(calls, "ENOSYS")


async def test_a_program_cannot_raise_its_share_of_the_processors(program: MakeProgram) -> None:
    """Neither by its niceness, nor by that of its session, nor in another session."""
    _, printed = await outcome(
        program("""
            import os, subprocess
            for text in ("0", "-5"):
                try:
                    os.write(os.open("/proc/self/autogroup", os.O_WRONLY), text.encode())
                    print("ESCAPED")
                except OSError:
                    pass
            niceness = os.nice(0)
            try:
                os.setpriority(os.PRIO_PROCESS, 0, niceness - 1)
                print("ESCAPED")
            except OSError:
                pass
            session = os.getsid(0)
            if os.fork() == 0:
                os.setsid()
                print(os.getsid(0) == session, os.nice(0) == niceness, flush=True)
                os._exit(0)
            os.wait()
            print(subprocess.run(["true"], start_new_session=True).returncode)
        """)
    )
    assert printed.splitlines() == ["True True", "0"]


async def test_it_sees_its_niceness_and_no_terminal(program: MakeProgram) -> None:
    here = await tried(
        program,
        """
attempt("terminal", lambda: os.open("/dev/ptmx", os.O_RDWR))
if os.path.exists("/proc/self/autogroup"):
    print("session", open("/proc/self/autogroup").read().split(" ", 1)[1].strip())
""",
    )
    assert here.pop("session", "nice 10") == "nice 10"
    assert here == {"terminal": "ENOENT"}


async def test_no_right_can_be_gained(program: MakeProgram) -> None:
    build = program("""
import os
status = dict(line.split(":", 1) for line in open("/proc/self/status").read().splitlines())
print([status[name].strip() for name in ("NoNewPrivs", "CapEff", "CapBnd", "Seccomp")])
print([bool(os.statvfs(path).f_flag & os.ST_NOSUID) for path in ("/bot", "/usr", "/tmp", "/")])
try:
    os.setuid(0)
    print("ESCAPED")
except OSError:
    print("refused")
""")
    shutil.copy("/usr/bin/id", build.folder / "id")
    (build.folder / "id").chmod(0o6755)
    _, printed = await outcome(build)
    none = "0000000000000000"
    assert printed.splitlines() == [
        str(["1", none, none, "2"]),
        str([True] * 4),
        "refused",
    ]


async def test_a_crash_starts_no_program_of_the_machine(program: MakeProgram) -> None:
    """As apport, which the kernel starts as root, unless the limit of a dump is 1."""
    _, printed = await outcome(program("import resource; print(resource.getrlimit(4))"))
    assert printed == "(1, 1)\n"


async def test_a_program_runs_as_no_user_who_owns_anything(program: MakeProgram) -> None:
    async with confined(program("import time; time.sleep(60)"), socket=None) as running:
        found = status_of(running.first)
    assert found is not None
    assert found.st_uid != 0
    assert found.st_gid != 0
