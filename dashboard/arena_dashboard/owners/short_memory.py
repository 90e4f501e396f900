"""`ShortMemory`, which keeps values by name for some seconds."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class ShortMemory(Generic[V]):
    """A memory of the newest values, at most `most`, each for `seconds`. Threads may share it."""

    def __init__(
        self, seconds: float, most: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds = seconds
        self._most = most
        self._clock = clock
        self._lock = Lock()
        self._known: OrderedDict[Hashable, tuple[float, V]] = OrderedDict()

    def put(self, name: Hashable, value: V) -> None:
        """Keep a value, in place of the one that had this name."""
        with self._lock:
            self._known.pop(name, None)
            self._known[name] = (self._clock() + self._seconds, value)
            if len(self._known) > self._most:
                self._known.popitem(last=False)

    def get(self, name: Hashable) -> V | None:
        """Return the value of this name; None if it is unknown or too old."""
        with self._lock:
            return self._fresh(self._known.get(name))

    def take(self, name: Hashable) -> V | None:
        """Return the value as `get` does, and forget it."""
        with self._lock:
            return self._fresh(self._known.pop(name, None))

    def _fresh(self, found: tuple[float, V] | None) -> V | None:
        return found[1] if found is not None and self._clock() < found[0] else None
