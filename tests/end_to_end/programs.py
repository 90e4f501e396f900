"""The arena as programs: started, told to stop, killed, and looked for afterwards."""

import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import arena
from arena.processes import spawn

ROOT = Path(arena.__file__).parents[1]
ARENA = Path(sys.executable).with_name("arena")
SHORT_MATCHES = ("--table", "bluff:2:dice_per_player=1")
"""For tests that wait for matches of their own bots."""
FEW_BOTS = ("--table", "skull:2")
"""For tests that do not wait for play: of the games this has the fewest house bots, and each
costs half a second of a core."""
PATIENCE = 60.0
"""Seconds that a program may take to start or to stop on a busy machine."""


class Program:
    """One run of the `arena` command, with a home of its own and its output in files."""

    def __init__(self, home: Path, *arguments: str, cwd: Path = ROOT, **environment: str) -> None:
        self.home = home
        self.output = Path(tempfile.mkdtemp(prefix="arena-output-"))
        self._out, self._err = self.output / "out", self.output / "err"
        plain = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = spawn(
                [ARENA, *arguments],
                cwd=cwd,
                env=plain | {"ARENA_HOME": str(home), "PYTHONUNBUFFERED": "1"} | environment,
                stdout=out,
                stderr=err,
            )

    @property
    def said(self) -> str:
        return self._out.read_text()

    @property
    def complained(self) -> str:
        return self._err.read_text()

    def wait_for(self, words: str) -> str:
        """The line of its output that holds certain words, as soon as it is there."""
        return self._wait_for(words, lambda: self.said)

    def wait_for_complaint(self, words: str) -> str:
        """The line on its stderr that holds certain words, as soon as it is there."""
        return self._wait_for(words, lambda: self.complained)

    def _wait_for(self, words: str, read: Callable[[], str]) -> str:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            for line in read().splitlines():
                if words in line:
                    return line
            assert self.process.poll() is None, f"it ended: {self.said} {self.complained}"
            time.sleep(0.01)
        raise AssertionError(f"it never said {words!r}: {self.said} {self.complained}")

    def port(self) -> int:
        """The port that a referee says it listens on."""
        return int(self.wait_for("listens on").split(":")[1].split(".")[0])

    def stop(self) -> int:
        """Ask it to stop; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.ended()

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait()

    def ended(self) -> int:
        """Its exit code, when it ends by itself."""
        return self.process.wait(PATIENCE)

    def running(self) -> list[str]:
        """The command lines of what runs on its behalf."""
        return list(_running_for(self.home))

    def left_behind(self) -> list[str]:
        """The command lines of what still runs on its behalf, a moment after its end."""
        deadline = time.monotonic() + 20
        while (found := self.running()) and time.monotonic() < deadline:
            time.sleep(0.02)
        return found


@contextmanager
def program(home: Path, *arguments: str, cwd: Path = ROOT, **environment: str) -> Iterator[Program]:
    """Run the `arena` command; whatever the test did, nothing of it is left afterwards."""
    running = Program(home, *arguments, cwd=cwd, **environment)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.kill()
        left_behind = running.left_behind()
        shutil.rmtree(running.output)
        assert left_behind == []


def _running_for(home: Path) -> Iterator[str]:
    """All processes with this home in their environment or their arguments."""
    mark = str(home).encode()
    for directory in Path("/proc").iterdir():
        if directory.name.isdigit() and directory.name != str(os.getpid()):
            try:
                arguments = (directory / "cmdline").read_bytes()
                known = mark in arguments or mark in (directory / "environ").read_bytes()
            except OSError:  # it is gone, or not ours to look into
                continue
            if known and arguments:
                yield arguments.replace(b"\0", b" ").decode()
