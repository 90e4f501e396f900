"""`Program`: a child process that reads and writes lines, without ever blocking the bridge."""

import contextlib
import shlex
import threading
from collections import deque
from collections.abc import Callable, Sequence
from queue import SimpleQueue

from arena.bridge.lines import LONGEST
from arena.bridge.unanswered import Unanswered
from arena.processes import PIPE, TimeoutExpired, how_it_ended, spawn_program, stop

PATIENCE_S = 5.0
"""The time that a program may take to end once its input has ended, in seconds."""
MOST_HELD = 2 * LONGEST
"""The maximum size of unread lines, in bytes.

A program that prints more waits in its write to stdout.
"""


class Program:
    """A running program. It shares the bridge's stderr, and its child processes end with it."""

    def __init__(self, command: Sequence[str], ended: Callable[["Program"], None]) -> None:
        """Start the program.

        `ended` is called, in a thread, if the program ends of its own accord.
        """
        self.name = shlex.join(command)
        self.process = spawn_program(command, stdin=PIPE, stdout=PIPE)
        self.unanswered = Unanswered()
        """The turns that the program was asked and has not answered, as the bridge records them."""
        self._ended = ended
        self._to_write: SimpleQueue[str | None] = SimpleQueue()
        self._lines: deque[bytes] = deque()
        self._held = 0
        """The size of `_lines`, in bytes."""
        self._output_ended = False
        self._closing = False
        self._changed = threading.Condition()
        """The condition that guards the four above."""
        self._writing = threading.Thread(target=self._write_all, daemon=True)
        self._writing.start()
        self._reading = threading.Thread(target=self._read_all, daemon=True)
        self._reading.start()

    def tell(self, line: str) -> None:
        """Write a line in the background; it is lost if the program has ended."""
        self._to_write.put(line)

    def hear(self, seconds: float) -> bytes | None:
        """Return the program's next line; None if its output has ended.

        Raises TimeoutError after `seconds`.
        """
        with self._changed:
            if not self._changed.wait_for(
                lambda: self._lines or self._output_ended, max(0.0, seconds)
            ):
                raise TimeoutError
            if not self._lines:
                return None
            line = self._lines.popleft()
            self._held -= len(line)
            self._changed.notify_all()
            return line

    @property
    def held_bytes(self) -> int:
        """The size of the lines that the program wrote and that are unread, in bytes."""
        return self._held

    def close(self) -> None:
        """Close the program's input, without waiting; a program that then runs on is stopped."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._to_write.put(None)

    def wait(self) -> None:
        """Wait until the program has ended, after `close`."""
        self._writing.join(2 * PATIENCE_S)
        if self._writing.is_alive():  # the program reads nothing, so its input cannot be closed
            stop(self.process)

    def _write_all(self) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):  # it reads no more; the reading thread detects its end
            while (line := self._to_write.get()) is not None:
                self.process.stdin.write(line.encode() + b"\n")
                self.process.stdin.flush()
        if not self._closing:
            return
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        with contextlib.suppress(TimeoutExpired):
            self.process.wait(PATIENCE_S)
        stop(self.process)

    def _read_all(self) -> None:
        assert self.process.stdout is not None
        while line := self.process.stdout.readline(LONGEST + 1):
            with self._changed:
                self._changed.wait_for(lambda: self._closing or self._held < MOST_HELD)
                if not self._closing:  # otherwise nothing reads the lines any more
                    self._lines.append(line)
                    self._held += len(line)
                    self._changed.notify_all()
        with self._changed:
            self._output_ended = True
            self._changed.notify_all()
        if not self._closing:
            self._ended(self)

    def how_it_ended(self) -> str:
        """Return how a program whose output has ended came to its end, in words."""
        try:
            code = self.process.wait(1)
        except TimeoutExpired:
            return "closed its output"
        return how_it_ended(code)
