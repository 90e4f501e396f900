"""What a hosted program tries to reach, and cannot.

Each program prints a line for each try: what came of it. None would change this machine if it
succeeded: files are opened and not written, signals are those that only ask, loops are short.
"""

import asyncio
import os
import shutil
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
from tests.worker.confining import outcome, tried
from tests.worker.conftest import MakeProgram


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
