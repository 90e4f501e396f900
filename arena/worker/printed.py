"""`Printed`: the beginning and the end of what a program prints, in bounded memory."""

from collections import deque
from typing import Final

MOST_KEPT: Final = 32 * 1024
"""Bytes that are kept of a program's output."""


class Printed:
    """What was printed so far: its first half and its last, if it is too much for both."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._half = most // 2
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self.total = 0
        """Bytes."""

    def add(self, data: bytes) -> None:
        """Add what was printed next."""
        self.total += len(data)
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
        """What is kept, as text; a line in its middle says how much is missing."""
        tail = b"".join(self._tail)
        missing = max(0, self.total - len(self._head) - self._half)
        if missing:
            gap = f"\n… {missing:,} bytes are left out …\n".encode()
            tail = gap + tail[-self._half :]
        return (bytes(self._head) + tail).decode("utf-8", "replace")
