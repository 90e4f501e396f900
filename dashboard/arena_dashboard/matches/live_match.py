"""The match that is shown live: followed once for all visitors, and only while a page asks for it.

One match is followed at a time. When it is over, the next one is followed as soon as a visitor has
seen it to its end, so that a referee that plays hundreds of matches a second shows a few a minute.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock, Thread
from typing import Final, Protocol

from arena.clients.spectating import RefereeActivity, RefereeAwayError, WatchedMatch, Watching

KEPT: Final = 8
"""The most matches kept for visitors who still watch them."""
IDLE_SECONDS: Final = 20.0
"""The seconds without a request after which a match is no longer followed."""
FRESH_SECONDS: Final = 120.0
"""The seconds for which a match that is over is shown to new visitors."""
RETRY_SECONDS: Final = 5.0
"""The seconds for which a referee that did not answer is not asked again."""
ACTIVITY_SECONDS: Final = 2.0
"""The age in seconds that the referee's figures may have."""


class Client(Protocol):
    """A client of a referee; see SpectatorClient."""

    def activity(self) -> RefereeActivity:
        """Return how busy the referee is. Raises RefereeAwayError."""
        ...

    def watch(self, most: int = 1) -> Watching:
        """Return a stream of running matches, at most `most` at the same time."""
        ...


class LiveMatches:
    """The matches and the activity of a running referee. Threads may share it."""

    def __init__(self, client: Client, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._clock = clock
        self._lock = Lock()
        self._asking = Lock()
        """Held by the thread that asks for the referee's figures; others get the last ones."""
        self._kept: OrderedDict[str, tuple[WatchedMatch, float]] = OrderedDict()
        """Matches by id, each with the time of its last change."""
        self._following: Watching | None = None
        self._asked_at = -float("inf")
        self._rests_until = -float("inf")
        self._activity: RefereeActivity | None = None
        self._activity_until = -float("inf")

    def activity(self) -> RefereeActivity | None:
        """Return how busy the referee is; None if it does not answer."""
        if self._clock() >= self._activity_until and self._asking.acquire(blocking=False):
            try:
                self._activity = self._client.activity()
                self._activity_until = self._clock() + ACTIVITY_SECONDS
            except RefereeAwayError:
                self._activity = None
                self._activity_until = self._clock() + RETRY_SECONDS
            finally:
                self._asking.release()
        return self._activity

    def match(self, shown: str | None, *, seen: bool) -> WatchedMatch | None:
        """Return the match to show to a visitor who now sees the match `shown`.

        If the visitor has `seen` it to its end, return another match if there is one. None if
        there is no match.
        """
        with self._lock:
            now = self._asked_at = self._clock()
            if shown is not None and shown in self._kept and not seen:
                return self._kept[shown][0]
            newest, changed_at = next(reversed(self._kept.values()), (None, -float("inf")))
            if now - changed_at > FRESH_SECONDS and (newest is None or newest.over):
                newest = None
            if newest is not None and newest.match_id != shown:
                return newest
            if self._following is None and now >= self._rests_until:
                self._following = self._client.watch(1)
                Thread(target=self._follow, args=(self._following,), daemon=True).start()
            return newest

    def _follow(self, watching: Watching) -> None:
        """Follow one match to its end, or until no visitor has asked for IDLE_SECONDS."""
        try:
            for match in watching:
                with self._lock:
                    now = self._clock()
                    self._kept[match.match_id] = match, now
                    while len(self._kept) > KEPT:
                        self._kept.popitem(last=False)
                    idle = now - self._asked_at > IDLE_SECONDS
                if match.over or idle:
                    watching.stop()
                    break
        except RefereeAwayError:
            with self._lock:
                self._rests_until = self._clock() + RETRY_SECONDS
        finally:
            with self._lock:
                self._following = None
                # Unfinished matches would never change again. More than one may be left: the next
                # match may have begun when one ended.
                for match_id in [one for one, (match, _) in self._kept.items() if not match.over]:
                    del self._kept[match_id]
