"""`BotProgram`: a bot's program, started here, with a file for what it prints.

UserError
└── BotProgramError    a program ended, hangs, does not connect or does not join; the message has
                       the end of what it printed
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
"""How long a program may take to connect: a busy machine starts a JVM in some seconds."""
STOP_SECONDS = 2.0
"""How long a program may take to leave after SIGTERM before it is killed."""
_TAIL_LINES = 12
_TAIL_BYTES = 4096
_RECENT_BYTES = 256 * 1024
"""For so long, in what it printed, the faults of a match that has just ended are looked for."""
_LONGEST_REASON = 300
_REASON: Final = "arena: "
"""With this a command of the arena begins the reason for which it ends."""


def open_socket(address: str) -> None:
    """Let programs connect that run as another user: who may reach a Unix socket, its folder says.

    Of other addresses nothing is changed.
    """
    if address.startswith("unix:"):
        Path(address.removeprefix("unix:")).chmod(0o666)


class BotProgramError(UserError):
    """A program cannot play; the message names it and shows the end of what it printed."""


class BotProgram:
    """A running program; whatever it has started ends with it."""

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

        It gets the `address` of the referee, its `token` and its `settings`; the newest of what it
        prints is in the file `log`.
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
        """Counts what it could have used."""

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
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
        """Return an error about it: `how` continues its name."""
        return BotProgramError(f"{self.name} {how}.{self._tail()}")

    def how_it_ended(self) -> str:
        """Return what became of a program that is not running, in words.

        Of a command of the arena, such as the bridge, with the reason that it printed.
        """
        how = f"{how_it_ended(self._process.wait())} after {self.age:.1f} s"
        last = self._printed(_TAIL_BYTES)[-1:]
        if not last or not last[0].startswith(_REASON):
            return how
        return f"{how}: {printable(last[0]).removeprefix(_REASON).rstrip('.')}"

    def why_no_answer(self, match_id: str, turn: int) -> str | None:
        """Why it had no answer to a turn, if it says so as the SDK and the bridge do."""
        begin = NO_ANSWER % (turn, match_id, "")
        for line in reversed(self._printed(_RECENT_BYTES)):
            _, found, why = line.partition(begin)
            if found:
                return printable(why)[:_LONGEST_REASON]
        return None

    def _printed(self, most: int) -> list[str]:
        """Return the lines at the end of what it printed, of at most so many bytes."""
        with self.log.open("rb") as output:
            output.seek(max(0, self.log.stat().st_size - most))
            return output.read().decode("utf-8", "replace").expandtabs(4).splitlines()

    def _tail(self) -> str:
        lines = _telling(self._printed(_RECENT_BYTES))[-_TAIL_LINES:]
        if not lines:
            return f" It printed nothing ({self.log})."
        return "\n".join([f" The end of what it printed ({self.log}):", *lines])

    def ask_to_stop(self) -> None:
        """Send SIGTERM to it and to its process group."""
        self._process.terminate()

    def stop(self) -> None:
        """Wait until it has ended, and end what is left of it."""
        with contextlib.suppress(TimeoutExpired):
            self._process.wait(STOP_SECONDS)
        self.kill()

    def kill(self) -> None:
        """End it, and whatever it has started, at once."""
        self._process.kill()
        self._process.wait()
        self._bound.close()


def _telling(lines: Sequence[str]) -> list[str]:
    """Return the lines without what a bot says of each fault, and each reason once.

    A program that fails does so in all its matches, and what it says itself comes before.
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
