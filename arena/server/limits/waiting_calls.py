"""`WaitingCalls`: calls that wait for their peers; a peer that takes too long is cut.

A call waits for its request, and at its end for its peer to take the answer or status. A client
that sends no request, or grants no HTTP/2 window, but answers pings could keep such a call for
ever, at 24 kB and more. gRPC has no timeout for that, and cannot abandon a call.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

from arena.server.limits.limits import Limits

MANY: Final = 1_000
"""While more calls than this wait, each may wait for HURRIED_SECONDS only."""
HURRIED_SECONDS: Final = 3.0


class WaitingCalls:
    """The calls to one referee that wait for their peers."""

    def __init__(
        self, limits: Limits, cut: Callable[[str], None], now: Callable[[], float]
    ) -> None:
        """`cut` cuts the connection of a peer, unless a known bot plays over it."""
        self._limits = limits
        self._cut = cut
        self._now = now
        # By task, because a callback on the call's context would create a reference cycle. A plain
        # dict would scan past removed keys to find its first key.
        self._calls: OrderedDict[asyncio.Task[Any], tuple[float, str]] = OrderedDict()
        """Since when each call waits, and for which peer; the one that waits longest is first."""

    def __len__(self) -> int:
        return len(self._calls)

    def add(self, peer: str) -> None:
        """Count the running task's call as waiting, until the task ends. Repeats do nothing.

        The task of a call ends when its peer has taken everything, or is gone.
        """
        call = _running()
        if call not in self._calls:
            self._calls[call] = (self._now(), peer)
            call.add_done_callback(self._discard)

    def remove(self) -> None:
        """Stop counting the running task's call as waiting: its request has come."""
        call = _running()
        self._discard(call)
        call.remove_done_callback(self._discard)

    def look(self) -> None:
        """Cut the connections of the peers for whom a call has waited too long."""
        now = self._now()
        patience = self._limits.waiting_seconds if len(self) <= MANY else HURRIED_SECONDS
        while self._calls:
            call, (since, peer) = next(iter(self._calls.items()))
            if now < since + patience:
                break
            # It is tried again later: a known bot, which prevents the cut, may have left by then.
            self._calls[call] = (now, peer)
            self._calls.move_to_end(call)
            self._cut(peer)

    def _discard(self, call: asyncio.Task[Any]) -> None:
        self._calls.pop(call, None)


def _running() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None
    return task
