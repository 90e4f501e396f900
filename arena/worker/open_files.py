"""Counts of the files that a confined program holds open.

Open files take kernel memory that no memory limit counts; some of it counts only against a quota of
the user.

The worker checks four times a second. It does not see files that were sent over a socket and not
yet received; the kernel allows as many of them as a process may have open.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from arena.processes import processes_of
from arena.worker.limits import SandboxLimits

_POLLED: Final = "anon_inode:[eventpoll]"
_PIPE: Final = "pipe:"
_WATCH: Final = b"tfd:"
_CHUNK: Final = 64 * 1024


@dataclass(slots=True)
class OpenFiles:
    """The open files of all processes of a program together."""

    files: int = 0
    watches: int = 0
    """Watches of `epoll`. Several epoll instances can watch a file, under several of its numbers.

    A watch that two processes share counts twice.
    """
    hidden: bool = False
    """Whether a process hides its files, although the sandbox's own process can be read."""
    pipes: set[str] = field(default_factory=set)
    """Names of pipes."""

    def excess(self, limits: SandboxLimits) -> str:
        """Return a sentence that names the exceeded limit; empty if there is none."""
        if self.files > limits.files:
            return f"It held more than {limits.files:,} files open."
        if len(self.pipes) > limits.pipes:
            return f"It held more than {limits.pipes} pipes open."
        if self.watches > limits.watches:
            return f"It watched more than {limits.watches:,} files by epoll."
        return ""


def open_files(first: int, limits: SandboxLimits) -> OpenFiles:
    """Count the open files of `first` and its descendants, up to the first exceeded limit.

    `first` is the sandbox's own process, which started all others.
    """
    found = OpenFiles()
    for process in processes_of(first):
        try:
            for file in Path(f"/proc/{process}/fd").iterdir():
                found.files += 1
                with suppress(OSError):
                    _add(found, file, limits.watches)
                if found.excess(limits):
                    return found
        except PermissionError:
            if process == first:
                return found  # the worker may not look at all
            found.hidden = found.hidden or _has_memory(process)
        except OSError:  # it has ended
            continue
    return found


def _add(found: OpenFiles, file: Path, most_watches: int) -> None:
    name = str(file.readlink())
    if name.startswith(_PIPE):
        found.pipes.add(name)
    elif name == _POLLED:
        for chunk in _chunks(file.parents[1] / "fdinfo" / file.name):
            found.watches += chunk.count(_WATCH)
            if found.watches > most_watches:
                return


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb", buffering=0) as opened:
        while chunk := opened.read(_CHUNK):
            yield chunk


def _has_memory(process: int) -> bool:
    """Return whether a process still runs; only root can see the files of an ending process."""
    with suppress(OSError):
        return not Path(f"/proc/{process}/statm").read_text().startswith("0 ")
    return False
