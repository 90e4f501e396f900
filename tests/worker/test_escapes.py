"""What a hosted program tries to reach, and cannot.

Each program prints a line for each try: what came of it. None would change this machine if it
succeeded: files are opened and not written, signals are those that only ask, loops are short.
"""

import asyncio
import os
import shutil
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import arena
from arena.processes import processes_of
from arena.worker.sandbox import confined
from tests.bots import PATIENCE
from tests.waiting import until_async
from tests.worker.confining import outcome
from tests.worker.conftest import MakeProgram

TRY = """
import ctypes, errno, os, platform, socket, sys

def attempt(name, call):
    try:
        print(name, "ESCAPED", call())
    except OSError as error:
        print(name, errno.errorcode.get(error.errno, "refused"))

libc = ctypes.CDLL(None, use_errno=True)
SOCKET = (41 if platform.machine() == "x86_64" else 198,)

def system_call(*arguments):
    result = libc.syscall(*[ctypes.c_long(one) for one in arguments])
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result
"""


async def tried(program: MakeProgram, text: str) -> dict[str, str]:
    """What came of each try, by its name."""
    sentence, printed = await outcome(program(TRY + text))
    assert not sentence
    lines = [line.split(" ", 1) for line in printed.splitlines()]
    assert all(len(line) == 2 for line in lines), printed
    return dict(lines)


@contextmanager
def listening(family: int, address: object) -> Iterator[socket.socket]:
    with socket.socket(family) as line:
        line.bind(address)  # type: ignore[arg-type]
        line.listen()
        yield line


async def test_homes_and_secrets_are_not_there(program: MakeProgram) -> None:
    paths = ["/home", "/etc/passwd", "/etc/shadow", "/var", "/sys", "/run/user", "/mnt"]
    paths += [f"{Path.home()}/{name}" for name in (".ssh", ".bashrc", ".profile", ".cache")]
    here = await tried(program, f"for path in {paths}:\n    attempt(path, lambda: os.stat(path))\n")
    assert here == dict.fromkeys(paths, "ENOENT")


async def test_files_of_other_bots_and_sockets_of_the_database_are_not_there(
    program: MakeProgram, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "bot.py").write_text("secret")
    with listening(socket.AF_UNIX, str(tmp_path / ".s.PGSQL.5432")):
        here = await tried(
            program,
            f"""
attempt("other", lambda: open({str(other / "bot.py")!r}).read())
attempt("database", lambda: socket.socket(socket.AF_UNIX).connect(
    {str(tmp_path / ".s.PGSQL.5432")!r}))
attempt("above", lambda: os.stat("/bot/../other"))
""",
        )
    assert set(here.values()) == {"ENOENT"}, here


async def test_a_link_in_a_build_leads_nowhere(program: MakeProgram, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    build = program("print('read', open('link').read())")
    (build.folder / "link").symlink_to(tmp_path / "secret")
    _, printed = await outcome(build)
    assert "FileNotFoundError" in printed


async def test_nothing_can_be_reached_over_the_network(program: MakeProgram) -> None:
    name = f"\0arena-{os.getpid()}"
    with (
        listening(socket.AF_INET, ("127.0.0.1", 0)) as line,
        listening(socket.AF_UNIX, name),
    ):
        port = line.getsockname()[1]
        here = await tried(
            program,
            f"""
attempt("here", lambda: socket.create_connection(("127.0.0.1", {port}), 2))
attempt("own", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM).bind(("127.0.0.1", 0)))
attempt("upper", lambda: system_call(*SOCKET, socket.AF_INET | 1 << 32, socket.SOCK_STREAM, 0))
attempt("abstract", lambda: socket.socket(socket.AF_UNIX).connect({name!r}))
attempt("packets", lambda: socket.socket(17, socket.SOCK_RAW))
attempt("host", lambda: socket.socket(40, socket.SOCK_STREAM))
attempt("kernel", lambda: socket.socket(38, socket.SOCK_SEQPACKET))
attempt("netlink", lambda: socket.socket(16, socket.SOCK_RAW))
""",
        )
    assert here.pop("abstract") == "ECONNREFUSED"
    assert set(here.values()) == {"EAFNOSUPPORT"}, here


async def test_the_kernel_cannot_be_set_from_proc(program: MakeProgram) -> None:
    here = await tried(
        program,
        """
for path in ("sys/kernel/core_pattern", "sys/kernel/modprobe", "sys/vm/drop_caches",
             "sys/kernel/hostname", "sys/user/max_user_namespaces", "sysrq-trigger",
             "irq/default_smp_affinity", "self/setgroups"):
    path = "/proc/" + path
    # Opened alone: nothing is written.
    attempt(path, lambda: os.close(os.open(path, os.O_WRONLY)))
""",
    )
    assert not [one for one in here.items() if "ESCAPED" in one[1]], here


async def test_other_processes_are_neither_seen_nor_signalled(program: MakeProgram) -> None:
    here = await tried(
        program,
        f"""
pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
print("seen", len(pids) if max(pids) < 10 else pids)
attempt("signal", lambda: os.kill({os.getpid()}, 0) if {os.getpid()} > 9 else os.kill(99, 0))
attempt("environment", lambda: open("/proc/{os.getpid()}/environ").read())
""",
    )
    assert here == {"seen": "2", "signal": "ESRCH", "environment": "ENOENT"}


async def test_the_environment_holds_its_own_token_and_nothing_of_the_worker(
    program: MakeProgram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", "postgresql://secret")
    with listening(socket.AF_UNIX, str(tmp_path / "referee.sock")):
        _, printed = await outcome(
            program("import os; print(sorted(os.environ)); print(os.environ['ARENA_TOKEN'])"),
            socket=tmp_path / "referee.sock",
        )
    names, token = printed.splitlines()
    ours = ["ARENA_ADDRESS", "ARENA_TOKEN", "HOME", "LANG", "PATH", "PWD"]
    threads = ["MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"]
    python = ["PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"]
    assert names == str(sorted([*ours, *threads, *python]))
    assert token == "its own"


def status_of(process: int) -> os.stat_result | None:
    with suppress(OSError):
        return Path(f"/proc/{process}").stat()
    return None


def command_of(process: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes()
    return b""


async def test_a_token_is_not_in_the_list_of_processes(
    program: MakeProgram, tmp_path: Path
) -> None:
    build = program("import time; print('ready'); time.sleep(60)")
    with listening(socket.AF_UNIX, str(tmp_path / "referee.sock")):
        path = tmp_path / "referee.sock"
        async with confined(build, socket=path, token="very-secret") as running:
            commands = [command_of(process) for process in processes_of(running.first)]
            assert any(b"bot.py" in command for command in commands)
            assert not any(b"very-secret" in command for command in commands)
            assert b"very-secret" not in command_of(running.process_id)


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


PYTHON_IN_TMP = Path(sys.prefix).is_relative_to("/tmp")
"""Then what leads to it is part of the /tmp that a program has for itself."""


async def test_nothing_but_tmp_can_be_written(program: MakeProgram) -> None:
    here = await tried(
        program,
        """
for folder in ("/", "/bot", "/usr", "/usr/bin", "/dev", "/etc", "/run", "/proc", sys.prefix):
    if folder.startswith("/tmp/"):
        continue
    attempt(folder, lambda: open(os.path.join(folder, "mine"), "w"))
attempt("itself", lambda: open("/bot/bot.py", "a"))
attempt("python", lambda: open(sys.executable, "a"))
attempt("device", lambda: os.mknod("/tmp/disk", 0o600 | 0o060000, os.makedev(8, 0)))
open("/tmp/mine", "w").write("allowed")
print("devices", sorted(set(os.listdir("/dev")) - {"fd", "stdin", "stdout", "stderr", "core"}))
""",
    )
    devices = here.pop("devices")
    assert not [one for one in here.items() if "ESCAPED" in one[1]], here
    assert set(eval(devices)) <= {"full", "null", "ptmx", "pts", "random", "shm"} | {
        "console", "tty", "urandom", "zero",
    }  # fmt: skip


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


async def test_programs_are_confined_in_a_namespace_of_processes_too() -> None:
    """As in a container, where other processes have the lowest numbers."""
    tried = "import asyncio, arena.worker.sandbox as it; print(asyncio.run(it.why_not_here()))"
    ours = () if os.geteuid() == 0 else ("--user", "--map-current-user")
    process = await asyncio.create_subprocess_exec(
        *("unshare", *ours, "--pid", "--fork", "--mount-proc", sys.executable, "-c", tried),
        stdout=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(PATIENCE):
        said, _ = await process.communicate()
    assert said == b"None\n"


async def test_a_command_that_is_not_there_is_told(program: MakeProgram) -> None:
    _, printed = await outcome(program("", "./nothing"))
    assert "./nothing" in printed
    assert "No such file" in printed


async def test_an_arena_in_the_folder_of_its_python_is_hidden(
    program: MakeProgram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after `python -m venv .; arena up`; or, for the last, deep in what programs need."""
    package = Path(arena.__file__).parent
    homes = [Path(sys.prefix, f".arena-{os.getpid()}"), package / f".arena-{os.getpid()}"]
    homes = [home for home in homes if os.access(home.parent, os.W_OK)]
    for home in homes:
        home.mkdir(mode=0o755)
        (home / "secret").write_text("secret")
    try:
        for number, home in enumerate(homes):
            monkeypatch.setenv("ARENA_HOME", str(home))
            build = program(
                f"""
                import glob, os
                print(glob.glob({str(home / "*")!r}), os.access({sys.prefix!r}, os.W_OK))
                """,
                name=f"bot{number}",
            )
            assert (await outcome(build))[1] == f"[] {PYTHON_IN_TMP}\n"
    finally:
        for home in homes:
            shutil.rmtree(home)


async def test_of_the_folder_of_its_python_a_program_sees_what_it_needs(
    program: MakeProgram,
) -> None:
    here = await tried(program, "print('seen', sorted(os.listdir(sys.prefix)))\n")
    if not sys.prefix.startswith("/usr"):
        assert set(eval(here["seen"])) <= {"bin", "lib", "lib64", "pyvenv.cfg"}
