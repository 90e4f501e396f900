"""`Spectators`: shows running matches to spectators, delayed, at almost no cost to play.

A match without spectators only checks whether there is any spectator at all. The public side of a
watched match is encoded once for all its spectators. Each spectator has a bounded queue: one that
reads more slowly than its matches are played is dropped, never waited for. Showing takes at most
`watching_share` of the time in all; beyond that, matches that begin are not shown. A new spectator
is shown the running matches gradually, because the first showing of a match takes longer: all its
events are encoded, and Python takes it over from compiled rules.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import structlog

from arena.codec.spectating import end_part, match_part, moment_part
from arena.match.flow import PublicMoment
from arena.match.result import Result
from arena.server.limits.limits import Limits
from arena.server.play.ports import ShowableMatch, Timer

MOST_IN_A_MESSAGE: Final = 512
COPY_SECONDS: Final = 4e-6
"""The assumed later cost of sending a part to one spectator; all other costs are measured."""
AT_ONCE_SECONDS: Final = 0.01
"""The longest time for which running matches are shown without a pause."""

log = structlog.get_logger()

Fits = Callable[[ShowableMatch, str], bool]
"""Whether a spectator wants a match, from the match and the name of its tournament."""


class Spectator:
    """One spectator: the matches it is shown, and the parts that wait to be sent to it."""

    def __init__(
        self,
        fits: Fits,
        most: int,
        wake: Callable[[], None],
        overflow: Callable[[], None],
        most_waiting: int,
    ) -> None:
        """`most` matches are shown at the same time.

        `wake` is called when something waits to be sent, and `overflow` when more than
        `most_waiting` parts do.
        """
        self.fits = fits
        self.shown: dict[str, _Show] = {}
        """The matches by their ids."""
        self._most = most
        self._most_waiting = most_waiting
        self._wake = wake
        self._overflow = overflow
        self._waiting: deque[tuple[float, bytes]] = deque()
        """The waiting parts, each with the time from which it may be sent."""

    @property
    def has_room(self) -> bool:
        """Whether it can be shown another match."""
        return len(self.shown) < self._most

    def add(self, due: float, part: bytes) -> None:
        """Queue a part of a WatchResponse."""
        self._waiting.append((due, part))
        if len(self._waiting) > self._most_waiting:
            self._waiting.clear()
            self._overflow()
        elif len(self._waiting) == 1:
            self._wake()

    @property
    def next_due(self) -> float | None:
        """When the first waiting part may be sent; None if nothing waits."""
        return self._waiting[0][0] if self._waiting else None

    def take(self, now: float) -> bytes:
        """Return the parts that may be sent now, as one WatchResponse; b"" if there are none."""
        waiting = self._waiting
        parts: list[bytes] = []
        while waiting and waiting[0][0] <= now and len(parts) < MOST_IN_A_MESSAGE:
            parts.append(waiting.popleft()[1])
        # A message is read kind by kind (matches, moments, ends), not in the order of its parts. It
        # may hold the first and the last part of a match, because no match begins twice.
        return b"".join(parts)


class Spectators:
    """All spectators, and the matches that they are shown. An Audience (see play.ports)."""

    def __init__(
        self,
        running: Callable[[], Iterable[tuple[ShowableMatch, str]]],
        timer: Timer,
        delay_seconds: float = 0.0,
        limits: Limits = Limits(),
    ) -> None:
        """Show matches; `running` are those being played, with the names of their tournaments."""
        self.delay_seconds = delay_seconds
        self._limits = limits
        self._earned_at = 0.0
        """When the time that was used so far is regained."""
        self._running = running
        self._timer = timer
        self._spectators: dict[Spectator, None] = {}
        self._to_be_shown: dict[Spectator, None] = {}
        """The spectators that are not shown yet all running matches that they want."""
        self._goes_on = False
        """Whether a call of `_go_on` is scheduled."""
        self._shows: dict[str, _Show] = {}

    def __len__(self) -> int:
        return len(self._spectators)

    @property
    def overdrawn_seconds(self) -> float:
        """The seconds for which no match is shown, because the share of time is used up."""
        limits = self._limits
        debt = self._earned_at - self._timer.now()
        return max(0.0, debt - limits.watching_burst_seconds / limits.watching_share)

    def enter(self, spectator: Spectator) -> int:
        """Show it the running matches that fit, at least one of them at once, and later matches.

        Returns how many it is shown at once.
        """
        self._spectators[spectator] = None
        if not self._show_running(spectator, self._timer.now() + AT_ONCE_SECONDS):
            self._to_be_shown[spectator] = None
            self._go_on_later()
        return len(spectator.shown)

    def leave(self, spectator: Spectator) -> None:
        """Stop showing matches to it."""
        self._spectators.pop(spectator, None)
        self._to_be_shown.pop(spectator, None)
        for show in list(spectator.shown.values()):
            show.spectators.remove(spectator)
            if not show.spectators:
                self._shows.pop(show.match_id, None)
                show.match.hide()
        spectator.shown.clear()

    def begins(self, match: ShowableMatch, tournament: str) -> None:
        """See Audience."""
        if not self._spectators or self.overdrawn_seconds > 0:
            return
        try:
            wanted = [
                one for one in self._spectators if one.has_room and one.fits(match, tournament)
            ]
            if wanted:
                self._show(match, tournament, wanted)
        except Exception:
            # An error here must not affect the match.
            log.exception("match not shown", match=match.setup.match_id)

    def _show_running(self, spectator: Spectator, until: float) -> bool:
        """Show it running matches until this time. Returns False if more of them are left."""
        for match, tournament in self._running():
            if not spectator.has_room:
                break
            if match.setup.match_id not in spectator.shown and spectator.fits(match, tournament):
                if spectator.shown and self._timer.now() >= until:
                    return False
                self._show(match, tournament, (spectator,))
        return True

    def _go_on_later(self) -> None:
        if not self._goes_on:
            self._goes_on = True
            pause = max(AT_ONCE_SECONDS / self._limits.watching_share, self.overdrawn_seconds)
            self._timer.call_at(self._timer.now() + pause, self._go_on)

    def _go_on(self) -> None:
        """Show more running matches to spectators that are not shown all of them yet."""
        self._goes_on = False
        until = self._timer.now() + AT_ONCE_SECONDS
        for spectator in tuple(self._to_be_shown):
            try:
                if not self._show_running(spectator, until):
                    self._go_on_later()
                    return
            except Exception:
                log.exception("running matches not shown")
            del self._to_be_shown[spectator]

    def _show(self, match: ShowableMatch, tournament: str, spectators: Sequence[Spectator]) -> None:
        began = self._timer.now()
        match_id = match.setup.match_id
        show = self._shows.get(match_id)
        if show is None:
            show = self._shows[match_id] = _Show(match, self._timer.now, self._send, self._over)
        now = match.show(show)
        first = match_part(match.setup, tournament) + moment_part(match.setup, now)
        for spectator in spectators:
            show.spectators.append(spectator)
            spectator.shown[match_id] = show
        self._send(first, spectators, began)

    def _send(self, part: bytes, spectators: Sequence[Spectator], began: float) -> None:
        """Queue a part whose encoding began at `began`, and count the time that it has taken."""
        now = self._timer.now()
        # A copy, because an overflow may remove a spectator from the list.
        for spectator in tuple(spectators):
            spectator.add(now + self.delay_seconds, part)
        now = self._timer.now()
        spent = now - began + len(spectators) * COPY_SECONDS
        self._earned_at = max(now, self._earned_at) + spent / self._limits.watching_share

    def _over(self, show: "_Show") -> None:
        del self._shows[show.match_id]
        for spectator in show.spectators:
            spectator.shown.pop(show.match_id, None)


class _Show:
    """One match and its spectators. A Follower (see play.ports)."""

    def __init__(
        self,
        match: ShowableMatch,
        now: Callable[[], float],
        send: Callable[[bytes, Sequence[Spectator], float], None],
        ended: Callable[["_Show"], None],
    ) -> None:
        self.match = match
        self.match_id = match.setup.match_id
        self.spectators: list[Spectator] = []
        self._now = now
        self._send = send
        self._ended = ended

    def see(self, moment: PublicMoment) -> None:
        began = self._now()
        try:
            self._send(moment_part(self.match.setup, moment), self.spectators, began)
        except Exception:
            log.exception("moment not shown", match=self.match_id)

    def over(self, result: Result | None) -> None:
        began = self._now()
        self._send(end_part(self.match_id, result), self.spectators, began)
        self._ended(self)
