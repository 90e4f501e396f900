"""`BotProgram`: a bot's program, started here, with a log file for its output.

UserError
└── BotProgramError    a program ended, hangs, does not connect or does not join; the message has
                       the end of its output
"""

import contextlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from arena.bot.running_match import FAULT, NO_ANSWER
from arena.errors import UserError
from arena.local.bot_modules import BotSettings
from arena.local.loading import search_path
from arena.local.programs.attentive_timer import ProgramTimer
from arena.local.programs.bounded_log import BoundedLog
from arena.printable import printable
from arena.processes import STDOUT, TimeoutExpired, how_it_ended, program_environment, spawn_program

CONNECT_SECONDS: Final = 15.0
"""The time that a program may take to connect; a busy machine needs seconds to start a JVM."""
STOP_SECONDS = 2.0
"""The time that a program may take to leave after SIGTERM before it is killed."""
_TAIL_LINES = 12
_TAIL_BYTES = 4096
_RECENT_BYTES = 256 * 1024
"""The newest bytes of output that are searched for the faults of a match that has just ended."""
_LONGEST_REASON = 300
_REASON: Final = "arena: "
"""The prefix of the reason that a command of the arena prints when it fails."""


def open_socket(address: str) -> None:
    """Let programs of all users connect to a Unix socket; its folder limits who can reach it.

    Does nothing for other addresses.
    """
    if address.startswith("unix:"):
        Path(address.removeprefix("unix:")).chmod(0o666)


class BotProgramError(UserError):
    """A program cannot play; the message names it and shows the end of its output."""


class BotProgram:
    """A running program; all processes that it has started end with it."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        address: str,
        token: str,
        log: Path,
        settings: BotSettings = (),
    ) -> None:
        """Start the program.

        It gets the referee's `address`, its `token` and its `settings`. The file `log` has its
        newest output.
        """
        self.name = name
        self.log = log
        self._started = time.monotonic()
        self._bound = BoundedLog(log)
        with self._bound as output:
            self._process = spawn_program(
                command,
                env=program_environment(
                    dict(settings)
                    | {
                        "PATH": search_path(),
                        "ARENA_ADDRESS": address,
                        "ARENA_TOKEN": token,
                        "ARENA_INSTANCE": "",
                    }
                ),
                stdout=output,
                stderr=STDOUT,
            )
        self.timer = ProgramTimer(self._process.pid)
        """Counts the time that the program could have used."""

    @property
    def running(self) -> bool:
        """Whether the program has not ended."""
        return self._process.poll() is None

    @property
    def code(self) -> int | None:
        """Its exit code; None while it runs."""
        return self._process.poll()

    @property
    def age(self) -> float:
        """The seconds since it was started."""
        return time.monotonic() - self._started

    def failed(self, how: str) -> BotProgramError:
        """Return an error about the program; its name and `how` form a sentence."""
        return BotProgramError(f"{self.name} {how}.{self._tail()}")

    def how_it_ended(self) -> str:
        """Return in words how a program ended that is not running.

        For a command of the arena, such as the bridge, this includes the reason that it printed.
        """
        how = f"{how_it_ended(self._process.wait())} after {self.age:.1f} s"
        last = self._printed(_TAIL_BYTES)[-1:]
        if not last or not last[0].startswith(_REASON):
            return how
        return f"{how}: {printable(last[0]).removeprefix(_REASON).rstrip('.')}"

    def why_no_answer(self, match_id: str, turn: int) -> str | None:
        """Return why it had no answer to a turn, if it logged that like the SDK and the bridge."""
        begin = NO_ANSWER % (turn, match_id, "")
        for line in reversed(self._printed(_RECENT_BYTES)):
            _, found, why = line.partition(begin)
            if found:
                return printable(why)[:_LONGEST_REASON]
        return None

    def _printed(self, most: int) -> list[str]:
        """Return the last lines of its output, of at most `most` bytes."""
        with self.log.open("rb") as output:
            output.seek(max(0, self.log.stat().st_size - most))
            return output.read().decode("utf-8", "replace").expandtabs(4).splitlines()

    def _tail(self) -> str:
        lines = _telling(self._printed(_RECENT_BYTES))[-_TAIL_LINES:]
        if not lines:
            return f" It printed nothing ({self.log})."
        return "\n".join([f" The end of what it printed ({self.log}):", *lines])

    def ask_to_stop(self) -> None:
        """Send SIGTERM to the program and its process group."""
        self._process.terminate()

    def stop(self) -> None:
        """Wait up to STOP_SECONDS for its end, then kill the rest."""
        with contextlib.suppress(TimeoutExpired):
            self._process.wait(STOP_SECONDS)
        self.kill()

    def kill(self) -> None:
        """Kill the program, and all processes that it has started, at once."""
        self._process.kill()
        self._process.wait()
        self._bound.close()


def _telling(lines: Sequence[str]) -> list[str]:
    """Return the lines without the messages about faults, and each reason for no answer once.

    A program that fails does so in all its matches, and those messages would hide its own output.
    """
    fault, no_answer = (f" {text.partition('%')[0]}" for text in (FAULT, NO_ANSWER))
    found, reasons = [], set()
    for line in lines:
        if no_answer in line:
            reason = line.partition(no_answer)[2].partition(": ")[2]
            if reason in reasons:
                continue
            reasons.add(reason)
        if fault not in line:
            found.append(line)
    return found
