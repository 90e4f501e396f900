"""Refused calls: sent to the peer, counted, and logged in few lines however many there are."""

import asyncio
from collections.abc import Callable
from random import uniform
from typing import Any, Final, Protocol

import grpc
import grpc.aio
import structlog

from arena.server.limits.connections import Connections
from arena.server.limits.limits import Buckets, LimitError, Limits
from arena.server.requests.errors import ProtocolError

QUIET_SECONDS: Final = 60.0
"""After a logged refusal, further ones of its kind are only counted for this time."""

log = structlog.get_logger()

Context = grpc.aio.ServicerContext[Any, Any]


class RefusalMeter(Protocol):
    """Counts refusals."""

    def refused(self, code: str) -> None:
        """Count a call or stream that was ended with this gRPC status."""
        ...

    def limited(self, limit: str) -> None:
        """Count a call beyond this limit."""
        ...


class Repeats:
    """Log lines that may come in floods: the first at once, then their number once in a while."""

    def __init__(self, seconds: float = QUIET_SECONDS) -> None:
        self._seconds = seconds
        self._counts: dict[tuple[str, str], int] = {}

    def info(self, event: str, kind: str, **values: Any) -> None:
        """Log an event of a kind; there must be few kinds."""
        key = event, kind
        if key in self._counts:
            self._counts[key] += 1
            return
        log.info(event, **values)
        self._wait(key)

    def _wait(self, key: tuple[str, str]) -> None:
        self._counts[key] = 0
        asyncio.get_running_loop().call_later(self._seconds, self._tell, key)

    def _tell(self, key: tuple[str, str]) -> None:
        times = self._counts.pop(key)
        if times:
            event, kind = key
            log.info(f"{event}, repeatedly", kind=kind, times=times, seconds=self._seconds)
            self._wait(key)


class Refusals:
    """Ends calls with their status.

    A call beyond a limit waits for its status, so that a flood is slow. When very many wait
    already, the next get it at once, and connections that repeat such calls are cut.
    """

    def __init__(
        self,
        limits: Limits,
        meter: RefusalMeter,
        connections: Connections,
        now: Callable[[], float],
    ) -> None:
        self._limits = limits
        self._meter = meter
        self._connections = connections
        self._now = now
        self._repeats = Repeats()
        self._held = 0
        self._by_connection: Buckets[str] = Buckets(limits.refusals_a_connection, 1.0)

    def note(self, event: str, error: ProtocolError) -> None:
        """Count and log a refusal."""
        self._meter.refused(error.code.name)
        limit = error.limit if isinstance(error, LimitError) else ""
        if limit:
            self._meter.limited(limit)
        self._repeats.info(
            event, limit or error.code.name, code=error.code.name, why=error.sentence
        )

    async def end(self, context: Context, error: ProtocolError) -> None:
        """End the call with the error's status."""
        metadata: tuple[tuple[str, str], ...] = ()
        peer = context.peer()
        if isinstance(error, LimitError):
            # Cutting is for floods that cannot be slowed down: a peer that is cut connects again
            # at once, with all its streams.
            if not await self.hold() and (
                self._by_connection.take(peer, self._now()) or self._connections.suspected(peer)
            ):
                self._connections.cut(peer)
            metadata = (("retry-after", str(error.seconds)),)
        self._connections.waiting.add(peer)
        try:
            await context.abort(error.code, error.sentence, metadata)
        except grpc.aio.InternalError:
            log.debug("bot gone before its status was sent", code=error.code.name)

    async def hold(self) -> bool:
        """Delay a call beyond a limit. Returns False, without delay, if very many wait already."""
        if self._held >= self._limits.refusals_held:
            return False
        self._held += 1
        try:
            # Random, so that streams opened at the same moment do not all come back at the same
            # moment.
            await asyncio.sleep(self._limits.refusal_seconds * uniform(0.5, 1.5))
            return True
        finally:
            self._held -= 1
