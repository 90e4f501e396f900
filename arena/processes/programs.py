"""`UserProgram`: a user's program under a keeper, which ends all processes of the program."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from arena.processes.environments import program_environment
from arena.processes.starting import DEVNULL, Stream

_KEEPER: Final = Path(__file__).with_name("keeper.py")


class UserProgram(subprocess.Popen[bytes]):
    """A user's program with its keeper; the process id is the keeper's.

    The keeper forwards signals to the program, and ends with the program's code or signal after all
    its descendants have ended. It also ends them when this process dies, whichever thread started
    it.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        stdin: Stream,
        stdout: Stream,
        stderr: Stream,
        cwd: Path | None,
    ) -> None:
        # Only this process has our end, so that it closes when this process dies; the keeper then
        # reads the end of the pipe.
        theirs, self._lifeline = os.pipe()
        try:
            super().__init__(
                [sys.executable, "-I", "-S", str(_KEEPER), str(theirs), "--", *command],
                env=env,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                cwd=cwd,
                pass_fds=[theirs],
                start_new_session=True,
            )
        except BaseException:
            self._cut()
            raise
        finally:
            os.close(theirs)

    def kill(self) -> None:
        """Kill the program, and all processes that it has started, at once."""
        with contextlib.suppress(OSError):
            os.write(self._lifeline, b"k")
        self._cut()

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the program's end like `Popen.wait`, and close the pipe to the keeper."""
        code = super().wait(timeout)
        self._cut()
        return code

    def poll(self) -> int | None:
        """Return the program's code like `Popen.poll`, or None while it runs."""
        code = super().poll()
        if code is not None:
            self._cut()
        return code

    def _cut(self) -> None:
        lifeline, self._lifeline = self._lifeline, -1
        if lifeline >= 0:
            os.close(lifeline)


def spawn_program(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    stdin: Stream = DEVNULL,
    stdout: Stream = None,
    stderr: Stream = None,
    cwd: Path | None = None,
) -> UserProgram:
    """Start a user's program; `env` is its environment, `program_environment()` by default.

    A program that cannot be started ends with code 1 and a message on stderr. On systems without
    Linux's subreapers, processes that leave the program's process group are not found.
    """
    environment = program_environment() if env is None else env
    return UserProgram(command, env=environment, stdin=stdin, stdout=stdout, stderr=stderr, cwd=cwd)
