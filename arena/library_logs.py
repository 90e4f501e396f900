"""A bound on the log entries of libraries, applied before an entry costs anything.

A library that logs an entry for each item from an untrusted peer would fill the disk and, with a
traceback for each, take all the time of its thread. Therefore every logger but the arena's own
writes each kind of entry (the text before its values are filled in) a few times a minute, and a
limited number of entries in all; entries beyond that are only counted. An omitted entry costs a few
microseconds at most: the bounds are checked before a record or a traceback is formatted.
"""

import logging
import sys
from asyncio import CancelledError
from time import monotonic
from typing import Any, Final

MOST_OF_A_KIND: Final = 5
"""The maximum number of entries of one kind in a window."""
MOST_OF_A_LOGGER: Final = 50
"""The maximum number of entries of one logger in a window."""
WINDOW_SECONDS: Final = 60.0
OURS: Final = "arena"
"""The root name of the arena's own loggers.

They are not bounded, because they report each fault to a bot's author.
"""
LONGEST_KIND: Final = 200
"""The number of a text's characters that identify its kind."""


class _BoundedLogger(logging.Logger):
    """A logger that omits entries beyond the bounds; the next window begins with their number."""

    _until = 0.0
    _written = 0
    _left_out = 0
    _kinds: dict[str, int]

    def exception(self, msg: object, *args: object, exc_info: Any = True, **named: Any) -> None:
        """Log an exception, unless it is beyond the bounds or a library's CancelledError.

        grpc.aio logs a CancelledError for each call that ends while its server stops.
        """
        if isinstance(sys.exception(), CancelledError) and self.name.partition(".")[0] != OURS:
            return
        # Floods arrive here: omitting an entry here costs half as much as in `_log`.
        if not self._leaves_out(msg):
            super().exception(msg, *args, exc_info=exc_info, **named)

    def _log(self, level: int, msg: object, args: Any, *rest: Any, **named: Any) -> None:
        # Every entry passes here, after the check of its level.
        if self.name.partition(".")[0] != OURS:
            if self._leaves_out(msg):
                return
            self._written += 1
            kind = _kind(msg)
            self._kinds[kind] = self._kinds.get(kind, 0) + 1
        super()._log(level, msg, args, *rest, **named)

    def _leaves_out(self, msg: object) -> bool:
        """Return whether an entry is beyond the bounds, and count it if so.

        Entries of the arena's own loggers are never beyond them, as they do not count as written.
        """
        now = monotonic()
        if now >= self._until:
            self._begin_window(now)
        if self._written < MOST_OF_A_LOGGER and self._kinds.get(_kind(msg), 0) < MOST_OF_A_KIND:
            return False
        self._left_out += 1
        return True

    def _begin_window(self, now: float) -> None:
        left_out, self._left_out = self._left_out, 0
        self._until, self._written, self._kinds = now + WINDOW_SECONDS, 0, {}
        if left_out:
            super()._log(logging.WARNING, "%d entries of this logger were left out", (left_out,))


def _kind(msg: object) -> str:
    # An object may be slow to format, so its type is its kind.
    return msg[:LONGEST_KIND] if isinstance(msg, str) else type(msg).__name__


def bound_library_logs() -> None:
    """Bound all loggers, including those created later; a second call has no further effect."""
    logging.setLoggerClass(_BoundedLogger)
    for known in list(logging.root.manager.loggerDict.values()):
        # Loggers of another class are not changed: they may write in another way.
        if type(known) is logging.Logger:
            known.__class__ = _BoundedLogger
