"""`Printed`, the beginning and the end of a program's output, in bounded memory."""

from collections import deque
from collections.abc import Callable
from io import BytesIO
from typing import Final

from arena.builds.shift_log import stamp

MOST_KEPT: Final = 32 * 1024
"""The most bytes of a program's output that are kept."""


class Printed:
    """The output so far: only its first and last parts if it exceeds the limit."""

    def __init__(self, clock: Callable[[], float] | None = None, most: int = MOST_KEPT) -> None:
        """Begin with no output; with a `clock` each line is prefixed with the time of its start."""
        self._clock = clock
        self._half = most // 2
        self._line_begins = True
        self._given = 0
        """The number of bytes printed, including the times."""
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self.total = 0
        """The number of bytes printed, without the times."""

    def add(self, data: bytes) -> None:
        """Add the next part of the output."""
        self.total += len(data)
        if self._clock is not None:
            data = self._stamped(data, stamp(self._clock()))
        self._given += len(data)
        room = self._half - len(self._head)
        self._head += data[:room]
        rest = data[max(0, room) :]
        if not rest:
            return
        self._tail.append(rest)
        self._tail_bytes += len(rest)
        while self._tail_bytes - len(self._tail[0]) >= self._half:
            self._tail_bytes -= len(self._tail.popleft())

    def text(self) -> str:
        """Return the kept output as text; a line in the middle says how much is left out."""
        tail = b"".join(self._tail)
        if self._given > len(self._head) + self._half:
            tail = tail[-self._half :]
            if self._clock is not None:
                # Drop the first, cut line, as it lacks its time.
                tail = tail.partition(b"\n")[2]
            missing = self._given - len(self._head) - len(tail)
            tail = f"\n… {missing:,} bytes are left out …\n".encode() + tail
        return (bytes(self._head) + tail).decode("utf-8", "replace")

    def _stamped(self, data: bytes, stamp: bytes) -> bytes:
        stamped = b"".join(stamp + line for line in BytesIO(data))
        if not self._line_begins:
            stamped = stamped.removeprefix(stamp)
        self._line_begins = data.endswith(b"\n")
        return stamped
