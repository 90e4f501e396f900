"""`SpareFile`: duplicates an open file descriptor even when no other descriptor is free."""

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager


class SpareFile:
    """A file descriptor held in reserve for a copy, as none may be free when one is needed."""

    def __init__(self) -> None:
        self._empty = os.open(os.devnull, os.O_RDONLY)
        self._copy = os.dup(self._empty)
        for file in (self._empty, self._copy):
            weakref.finalize(self, os.close, file)

    @contextmanager
    def copy_of(self, file: int) -> Iterator[int]:
        """Yield a copy that stays open even if `file` is closed meanwhile.

        Raises OSError if `file` is not open.
        """
        os.dup2(file, self._copy, inheritable=False)
        try:
            yield self._copy
        finally:
            os.dup2(self._empty, self._copy, inheritable=False)
