"""The match that is shown live: followed for all visitors once, and only while somebody looks.

One match is followed at a time. When it is over, the next one is taken up as soon as a visitor has
seen it to its end, so that a referee that plays hundreds of matches a second shows a few a minute.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock, Thread
from typing import Final, Protocol

from arena.clients.spectating import RefereeActivity, RefereeAwayError, WatchedMatch, Watching

KEPT: Final = 8
"""Matches that are kept for visitors who still look at them."""
IDLE_SECONDS: Final = 20.0
"""How long nobody asks until a match is no longer followed."""
FRESH_SECONDS: Final = 120.0
"""How long a match that is over is shown to those who come."""
RETRY_SECONDS: Final = 5.0
"""How long a referee is not asked again that did not answer."""
ACTIVITY_SECONDS: Final = 2.0
"""How old the referee's figures may be."""


class Client(Protocol):
    """Asks a referee; see SpectatorClient."""

    def activity(self) -> RefereeActivity: ...
    def watch(self, most: int = 1) -> Watching: ...


class LiveMatches:
    """What runs at the referee now. Threads may share it."""

    def __init__(self, client: Client, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._clock = clock
        self._lock = Lock()
        self._asking = Lock()
        """Held by the one who asks for the referee's figures; others get the last ones."""
        self._kept: OrderedDict[str, tuple[WatchedMatch, float]] = OrderedDict()
        """Each with the time at which something happened in it."""
        self._following: Watching | None = None
        self._asked_at = -float("inf")
        self._rests_until = -float("inf")
        self._activity: RefereeActivity | None = None
        self._activity_until = -float("inf")

    def activity(self) -> RefereeActivity | None:
        """How busy the referee is; None if it does not answer."""
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
        """Return the match that a visitor is to see, who sees `shown` now.

        Another one if it has `seen` that to its end and there is one. None while there is none.
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
        """Follow one match to its end, or until nobody looks."""
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
                # Nobody would see how these go on; the next may have begun with the end of one.
                for match_id in [one for one, (match, _) in self._kept.items() if not match.over]:
                    del self._kept[match_id]
