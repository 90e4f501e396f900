"""`BoundedLog`: a log file of a program that keeps only the newest output."""

import os
import threading
from pathlib import Path
from types import TracebackType
from typing import Final

MOST_BYTES: Final = 16 * 2**20
"""When a file exceeds this size, it is cut to its newest KEPT_BYTES."""
KEPT_BYTES: Final = 4 * 2**20
_LOOK_SECONDS: Final = 0.02
LEFT_OUT: Final = b"[older output was left out]\n"


class BoundedLog:
    """Watches the file while the program runs; call `close` when it has ended.

    The program writes to the file itself, so that a line is there as soon as it is printed. Output
    that is printed while the file is being cut may be lost.
    """

    def __init__(self, path: Path, *, most: int = MOST_BYTES, kept: int = KEPT_BYTES) -> None:
        self._most = most
        self._kept = kept
        # In append mode, so that the program continues at the new end after the file was cut.
        path.write_bytes(b"")
        self._file = path.open("a+b", buffering=0)
        self._beginning = path.open("r+b")
        self._over = threading.Event()
        self._watching = threading.Thread(target=self._watch, name=f"log {path.name}", daemon=True)

    def __enter__(self) -> int:
        """Return the file descriptor for the program's output."""
        return self._file.fileno()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Begin to watch the file; the program is started by now."""
        if kind is None:
            self._watching.start()
        else:
            self._file.close()
            self._beginning.close()

    def close(self) -> None:
        """Cut the file a last time, and stop watching it. May be called again."""
        self._over.set()
        if self._watching.is_alive():
            self._watching.join()

    def _watch(self) -> None:
        with self._file, self._beginning:
            while not self._over.wait(_LOOK_SECONDS):
                self._cut()
            self._cut()

    def _cut(self) -> None:
        number = self._file.fileno()
        size = os.fstat(number).st_size
        if size <= self._most:
            return
        newest = os.pread(number, self._kept, size - self._kept)
        # Overwrite the beginning: appended lines would come after newer lines of the program.
        self._beginning.seek(0)
        self._beginning.write(LEFT_OUT + (newest.partition(b"\n")[2] or newest))
        self._beginning.flush()
        self._beginning.write(os.pread(number, self._kept, size))  # printed meanwhile
        self._beginning.truncate()
