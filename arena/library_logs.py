"""Bounds what libraries log, before it costs anything.

A library that logs something for each item that a stranger sends would fill the disk and, with a
traceback for each, take all the time of its thread. Therefore every logger but our own
writes each kind of entry (the text before its values are filled in) a few times a minute, and so
many entries in all; what is beyond that is counted. An entry that is left out costs some
microseconds at most: its logger is asked before a record or a traceback is made of it.
"""

import logging
from time import monotonic
from typing import Any, Final

MOST_OF_A_KIND: Final = 5
"""Entries of one kind in a window."""
MOST_OF_A_LOGGER: Final = 50
"""Entries of one logger in a window."""
WINDOW_SECONDS: Final = 60.0
OURS: Final = "arena"
"""The name above our own loggers, which are not bounded: they tell a bot's author each fault."""
LONGEST_KIND: Final = 200
"""Characters of a text that tell its kind."""


class _BoundedLogger(logging.Logger):
    """Leaves out what is beyond the bounds, and tells how much it was with the next entry."""

    _until = 0.0
    _written = 0
    _left_out = 0
    _kinds: dict[str, int]

    def exception(self, msg: object, *args: object, exc_info: Any = True, **named: Any) -> None:
        # What a flood brings about: left out here it costs half as much as in `_log`.
        if not self._leaves_out(msg):
            super().exception(msg, *args, exc_info=exc_info, **named)

    def _log(self, level: int, msg: object, args: Any, *rest: Any, **named: Any) -> None:
        # All that a logger writes passes here, after its level was compared.
        if self.name.partition(".")[0] != OURS:
            if self._leaves_out(msg):
                return
            self._written += 1
            kind = _kind(msg)
            self._kinds[kind] = self._kinds.get(kind, 0) + 1
        super()._log(level, msg, args, *rest, **named)

    def _leaves_out(self, msg: object) -> bool:
        """Whether an entry is beyond the bounds, counted if it is.

        Nothing of ours is: it counts as nothing written.
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
    # An object may be slow to print: its type is its kind.
    return msg[:LONGEST_KIND] if isinstance(msg, str) else type(msg).__name__


def bound_library_logs() -> None:
    """Bound all loggers, those that are made later too. A second call does nothing new."""
    logging.setLoggerClass(_BoundedLogger)
    for known in list(logging.root.manager.loggerDict.values()):
        # Loggers of a class of their own are left alone: they may write otherwise.
        if type(known) is logging.Logger:
            known.__class__ = _BoundedLogger
