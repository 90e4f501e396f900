"""`WaitingCalls`: calls that wait for their peers, who are cut if they let them wait for too long.

A call waits for its request, and when it is over until its peer has taken the answer or status. A
client that sends no request, or gives no window of HTTP/2, and answers pings could keep either for
ever, in 24 kB and more. gRPC has no time limit for that, and cannot give a call up.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

from arena.server.limits.limits import Limits

MANY: Final = 1_000
"""While more calls wait, each may do so for HURRIED_SECONDS only."""
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
        # By their tasks, as a callback of a call's context would make a reference cycle of it. A
        # plain dict finds its first key slowly once many were removed before it.
        self._calls: OrderedDict[asyncio.Task[Any], tuple[float, str]] = OrderedDict()
        """Since when each call waits, and for which peer; the longest first."""

    def __len__(self) -> int:
        return len(self._calls)

    def add(self, peer: str) -> None:
        """Count the call that the running task serves, until that ends; a second time is nothing.

        The task of a call ends when its peer has taken everything, or is gone.
        """
        call = _running()
        if call not in self._calls:
            self._calls[call] = (self._now(), peer)
            call.add_done_callback(self._discard)

    def remove(self) -> None:
        """Count the call that the running task serves no more: its request has come."""
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
            # Again later: a bot that plays over the connection may have left by then.
            self._calls[call] = (now, peer)
            self._calls.move_to_end(call)
            self._cut(peer)

    def _discard(self, call: asyncio.Task[Any]) -> None:
        self._calls.pop(call, None)


def _running() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None
    return task
