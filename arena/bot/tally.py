"""`Tally`: counts finished matches, and logs a line about them at intervals."""

import logging

_log = logging.getLogger("arena.bot")

REPORT_EVERY_S = 30.0


class Tally:
    """The counts of finished, won and unverified matches."""

    def __init__(self) -> None:
        self.finished = 0
        self.won = 0
        self.failed_checks = 0
        self._reported = (0, 0.0)

    def __str__(self) -> str:
        line = f"Matches finished: {self.finished}, won: {self.won}"
        return f"{line}, not verified: {self.failed_checks}." if self.failed_checks else f"{line}."

    def report(self, now: float) -> None:
        """Log the counts if they changed and the last line is old enough.

        `now` is the time in seconds.
        """
        finished, when = self._reported
        if self.finished != finished and (not finished or now - when >= REPORT_EVERY_S):
            self._reported = self.finished, now
            _log.info("%s", self)
