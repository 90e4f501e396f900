"""A server process that is restarted whenever it ends, until it is stopped.

One thread makes all starts and lives until the server is stopped for good. The kernel sends the
parent-death signal when the thread that forked ends (see `arena.processes`), so the server ends
with this process, however that ends. The thread waits in `waitpid`, so it notices an end at once.
"""

import contextlib
import signal
import threading
from collections.abc import Callable, Sequence
from time import monotonic, sleep

import structlog

from arena.database.errors import StorageError
from arena.processes import Process

FIRST_PAUSE = 0.05
"""Seconds before the first restart: processes that the dead server left need a moment to end."""
LONGEST_PAUSE = 0.5
"""The longest pause between failing starts, in seconds; each pause is twice the one before.

For example, after a full disk has space again, the server starts within this time.
"""
SETTLED_SECONDS = 10.0
"""Seconds for which a server must have answered to reset the pause to FIRST_PAUSE."""
_LOOK = 0.01
"""Seconds between checks whether the server answers: it does not announce that it is ready."""

log = structlog.get_logger()


def pause_after(answered_seconds: float, last: float) -> float:
    """Return the seconds to wait before a restart of a server that answered for `answered_seconds`.

    `last` is the pause before the start that ended now, 0 for the first start.
    """
    if answered_seconds >= SETTLED_SECONDS:
        return FIRST_PAUSE
    return min(max(2 * last, FIRST_PAUSE), LONGEST_PAUSE)


class KeptRunning:
    """A server process, kept running by a thread of its own.

    `start` starts it, in that thread; `answers` returns whether it can be used; `last_words`
    returns why it ended, for the log; `pause` returns the seconds to wait before the next start,
    like `pause_after`.
    """

    def __init__(
        self,
        start: Callable[[], Process],
        answers: Callable[[], bool],
        last_words: Callable[[], str],
        pause: Callable[[float, float], float] = pause_after,
    ) -> None:
        self._start = start
        self._answers = answers
        self._last_words = last_words
        self._pause = pause
        self._process: Process | None = None
        self._guard = threading.Lock()
        self._stopping = threading.Event()
        self._settled = threading.Event()
        self._began: bool | None = None
        """Whether the first run answered; None until it has answered or ended."""
        self._has_answered = False
        self._gone_since: float | None = None
        self._said = ""
        self._thread = threading.Thread(target=self._run, name="server", daemon=True)

    def start(self, patience: float) -> bool | None:
        """Start the server; return True once it answers, False if it ended.

        Returns None if it did neither within `patience` seconds.
        """
        self._thread.start()
        self._settled.wait(patience)
        return self._began

    def stop(self, signals: Sequence[signal.Signals], patience: float) -> None:
        """End the server for good: wait `patience` seconds after each signal, then send SIGKILL."""
        with self._guard:
            self._stopping.set()
        if self._thread.ident is None:
            return
        for number in signals:
            self._send(number)
            self._thread.join(patience)
            if not self._thread.is_alive():
                return
        self._send(signal.SIGKILL)
        self._thread.join()

    def _send(self, number: signal.Signals) -> None:
        process = self._process
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)

    def _run(self) -> None:
        pause = 0.0
        while True:
            answered_seconds = self._run_once()
            self._settle()
            if self._stopping.is_set():
                return
            pause = self._pause(answered_seconds, pause)
            if self._stopping.wait(pause):
                return

    def _run_once(self) -> float:
        """Run the server once, from start to end; return the seconds from its first answer."""
        with self._guard:
            if self._stopping.is_set():
                return 0.0
            try:
                process = self._process = self._start()
            except (OSError, StorageError) as error:  # no process or file available; perhaps later
                self._tell_ended(str(error))
                return 0.0
        answered_at = self._wait_for_answer(process)
        if answered_at is not None:
            self._tell_answers(answered_at)
        code = process.wait()
        if not self._stopping.is_set():
            ended = f"signal {signal.Signals(-code).name}" if code < 0 else f"code {code}"
            self._tell_ended(f"{ended}: {self._last_words()}")
        return 0.0 if answered_at is None else monotonic() - answered_at

    def _wait_for_answer(self, process: Process) -> float | None:
        while process.poll() is None:
            if self._answers():
                return monotonic()
            sleep(_LOOK)
        return None

    def _settle(self) -> None:
        if self._began is None:  # a later run may answer before `start` reads the first result
            self._began = self._has_answered
        self._settled.set()

    def _tell_answers(self, now: float) -> None:
        self._has_answered = True
        self._settle()
        if self._gone_since is not None:
            log.warning("the database runs again", away_s=round(now - self._gone_since, 1))
        self._gone_since, self._said = None, ""

    def _tell_ended(self, why: str) -> None:
        """Log one line for an end, and one more whenever a restart fails for another reason."""
        if not self._has_answered:
            return  # the caller of `start` reports it
        if self._gone_since is None:
            self._gone_since = monotonic()
            log.error("the database ended and is started again", why=why)
        elif why != self._said:
            log.error("the database does not start yet; trying again", why=why)
        self._said = why
