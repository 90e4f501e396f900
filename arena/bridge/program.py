"""`Program`: a child process that reads and writes lines, without ever blocking the bridge."""

import contextlib
import shlex
import subprocess
import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue

from arena.bridge.lines import LONGEST
from arena.processes import how_it_ended, spawn, stop

PATIENCE_S = 5.0
"""How long a program may take to end once its input has ended."""


class Program:
    """A running program; its stderr is ours. Make it in a thread that outlives it."""

    def __init__(self, command: Sequence[str], ended: Callable[["Program"], None]) -> None:
        """`ended` is called, in a thread, if the program ends of its own accord."""
        self.name = shlex.join(command)
        self.process = spawn(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, thread_outlives_it=True
        )
        self.unanswered = 0
        """Turns in a row that it left without an answer, as the bridge counts them."""
        self._ended = ended
        self._to_write: SimpleQueue[str | None] = SimpleQueue()
        self._read: SimpleQueue[bytes | None] = SimpleQueue()
        self._closing = False
        self._writing = threading.Thread(target=self._write_all, daemon=True)
        self._writing.start()
        self._reading = threading.Thread(target=self._read_all, daemon=True)
        self._reading.start()

    def tell(self, line: str) -> None:
        """Write a line, soon; does nothing if the program has ended."""
        self._to_write.put(line)

    def hear(self, seconds: float) -> bytes | None:
        """Its next line; None if it has ended. Raises TimeoutError after so many seconds."""
        try:
            line = self._read.get(timeout=max(0.0, seconds))
        except Empty:
            raise TimeoutError from None
        if line is None:
            self._read.put(None)  # for whoever asks next
        return line

    def close(self) -> None:
        """End its input; a program that then runs on is stopped. Does not wait for that."""
        self._closing = True
        self._to_write.put(None)

    def wait(self) -> None:
        """Wait until it has ended, after `close`."""
        self._writing.join(2 * PATIENCE_S)
        if self._writing.is_alive():  # it reads nothing, so that its input cannot be ended
            stop(self.process)

    def _write_all(self) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):  # it reads no more; the reading thread notices its end
            while (line := self._to_write.get()) is not None:
                self.process.stdin.write(line.encode() + b"\n")
                self.process.stdin.flush()
        if not self._closing:
            return
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE_S)
        stop(self.process)

    def _read_all(self) -> None:
        assert self.process.stdout is not None
        while line := self.process.stdout.readline(LONGEST + 1):
            self._read.put(line)
        self._read.put(None)
        if not self._closing:
            self._ended(self)

    def how_it_ended(self) -> str:
        """What became of a program whose output has ended, in words."""
        try:
            code = self.process.wait(1)
        except subprocess.TimeoutExpired:
            return "closed its output"
        return how_it_ended(code)
