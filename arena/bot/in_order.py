"""`InOrder`: a lock that threads acquire in the order in which they request it."""

import threading
from collections import deque


class InOrder:
    """A fair lock, first come, first served.

    With a lock of `threading`, the thread that has just released it would acquire it again before
    the others wake, and the others would wait too long.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held = False
        self._waiting: deque[threading.Lock] = deque()

    def __enter__(self) -> None:
        with self._guard:
            if not self._held:
                self._held = True
                return
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        try:
            turn.acquire()
        except BaseException:  # Ctrl-C
            with self._guard:
                waits = turn in self._waiting
                if waits:
                    self._waiting.remove(turn)
            if not waits:
                self._give_back()
            raise

    def __exit__(self, *_: object) -> None:
        self._give_back()

    def _give_back(self) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._held = False
