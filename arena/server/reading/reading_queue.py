"""`ReadingQueue`: a bounded queue with a cache for the reading calls of all clients.

One call is answered at a time, and answering takes at most `reading_share` of the time in the long
run. An answer is cached for KEPT_SECONDS, and equal calls that wait share one answer. Calls beyond
the limits of an address, or of all addresses, are refused with the seconds to wait.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import grpc

from arena.server.limits.limits import LimitError, Limits
from arena.server.limits.peers import address_of
from arena.server.reading.calls import ReadingAnswer
from arena.server.requests.errors import ProtocolError

KEPT_SECONDS: Final = 1.0
"""The time for which an answer is cached; boards and lists of matches change all the time."""
MOST_KEPT: Final = 256
"""The most cached answers."""
MOST_KEPT_BYTES: Final = 16 * 1024 * 1024


_PASSING = (grpc.StatusCode.UNAVAILABLE.name, grpc.StatusCode.INTERNAL.name)
"""Statuses of temporary failures, which are not cached."""


Ask = Callable[[str, bytes], Awaitable[ReadingAnswer]]


@dataclass(slots=True)
class _Kept:
    reply: ReadingAnswer
    until: float


class ReadingQueue:
    """Queues reading calls, and caches their answers."""

    def __init__(self, ask: Ask, limits: Limits, now: Callable[[], float]) -> None:
        self._ask = ask
        self._limits = limits
        self._now = now
        self._kept: OrderedDict[tuple[str, bytes], _Kept] = OrderedDict()
        self._kept_bytes = 0
        self._asked: dict[tuple[str, bytes], asyncio.Future[ReadingAnswer]] = {}
        """Calls that wait or are being answered, by name and request."""
        self._waiting: Counter[str] = Counter()
        """The number of waiting calls by address."""
        self._turn = asyncio.Lock()
        self._rested_at = 0.0
        """The time at which the time used so far is within `reading_share` again."""

    async def answer(self, call: str, request: bytes, peer: str) -> bytes:
        """Return the bytes of the response. Raises ProtocolError."""
        question = call, request
        kept = self._kept.get(question)
        if kept is not None and kept.until > self._now():
            self._kept.move_to_end(question)
            return _content(kept.reply)
        address = address_of(peer)
        limits = self._limits
        if (
            self._waiting[address] >= limits.reads_an_address
            or self._waiting.total() >= limits.reads_waiting
        ):
            raise LimitError("reading", "too many calls wait to be answered", self.rest() + 1)
        asked = self._asked.get(question)
        if asked is None:
            asked = self._asked[question] = asyncio.ensure_future(self._answered(question))
            asked.add_done_callback(lambda _: self._asked.pop(question, None))
        # Counted until the answer is there, even if the caller gives up, so that giving up and
        # calling again does not get around the limit.
        self._waiting[address] += 1
        asked.add_done_callback(lambda _: self._leave(address))
        return _content(await asyncio.shield(asked))

    async def close(self) -> None:
        """Stop answering; waiting calls are cancelled."""
        asked = list(self._asked.values())
        for one in asked:
            one.cancel()
        await asyncio.gather(*asked, return_exceptions=True)

    def _leave(self, address: str) -> None:
        self._waiting[address] -= 1
        if not self._waiting[address]:
            del self._waiting[address]

    async def _answered(self, question: tuple[str, bytes]) -> ReadingAnswer:
        async with self._turn:
            await asyncio.sleep(self.rest())
            began = self._now()
            reply = await self._ask(*question)
            ended = self._now()
            spent = (ended - began) / self._limits.reading_share
            self._rested_at = max(began, self._rested_at) + spent
        if reply.status not in _PASSING:
            self._keep(question, _Kept(reply, ended + KEPT_SECONDS))
        return reply

    def rest(self) -> float:
        """Return the seconds until the next read may begin; 0 while the share is not used up."""
        debt = self._rested_at - self._now()
        return max(0.0, debt - self._limits.reading_burst_seconds / self._limits.reading_share)

    def _keep(self, question: tuple[str, bytes], kept: _Kept) -> None:
        size = len(kept.reply.content)
        self._drop(question)
        self._kept[question] = kept
        self._kept_bytes += size
        while len(self._kept) > MOST_KEPT or self._kept_bytes > MOST_KEPT_BYTES:
            self._drop(next(iter(self._kept)))

    def _drop(self, question: tuple[str, bytes]) -> None:
        gone = self._kept.pop(question, None)
        if gone is not None:
            self._kept_bytes -= len(gone.reply.content)


def _content(reply: ReadingAnswer) -> bytes:
    if reply.status:
        raise ProtocolError(grpc.StatusCode[reply.status], reply.content.decode())
    return reply.content
