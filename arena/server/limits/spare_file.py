"""`SpareFile`: copies an open file when there may be no file left for a copy."""

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager


class SpareFile:
    """A file held for copies of others: when one is needed, all others may be taken."""

    def __init__(self) -> None:
        self._empty = os.open(os.devnull, os.O_RDONLY)
        self._copy = os.dup(self._empty)
        for file in (self._empty, self._copy):
            weakref.finalize(self, os.close, file)

    @contextmanager
    def copy_of(self, file: int) -> Iterator[int]:
        """Yield a copy that stays what it is, whoever closes the file.

        Raises OSError if it is none.
        """
        os.dup2(file, self._copy, inheritable=False)
        try:
            yield self._copy
        finally:
            os.dup2(self._empty, self._copy, inheritable=False)
