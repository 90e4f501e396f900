"""`UserProgram`: a user's program under a keeper, which ends all that the program has started."""

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
    """A user's program with its keeper, whose process id it has.

    The keeper forwards signals to the program and ends as it did, once everything below is gone. It
    also ends it all when this process dies, whichever thread started it.
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
        # When this process dies this end closes, as no other process has it, and the keeper knows.
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
        """End the program and all that it has started, at once."""
        with contextlib.suppress(OSError):
            os.write(self._lifeline, b"k")
        self._cut()

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the program's end as `Popen.wait` does, and close the pipe to the keeper."""
        code = super().wait(timeout)
        self._cut()
        return code

    def poll(self) -> int | None:
        """Return the program's code as `Popen.poll` does, or None while it runs."""
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
