"""`Desk`: reading calls of all guests, one after the other and never before play.

One question is answered at a time, and answering takes at most a part of the time in the long run.
An answer is kept for a moment for whoever asks the same. Those that ask when too many wait are
told to come back.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Protocol

import grpc

from arena.referee.connections import address_of
from arena.referee.errors import ProtocolError
from arena.referee.limits import LimitError, Limits

KEPT_SECONDS: Final = 1.0
"""How old an answer may be: leaderboards and lists of matches change all the time."""
MOST_KEPT: Final = 256
MOST_KEPT_BYTES: Final = 16 * 1024 * 1024


_PASSING = (grpc.StatusCode.UNAVAILABLE.name, grpc.StatusCode.INTERNAL.name)
"""Answers of a moment, which nobody else is to get."""


class DeskReply(Protocol):
    """The bytes of a response; or, with the name of a gRPC status, a sentence instead."""

    @property
    def content(self) -> bytes: ...
    @property
    def status(self) -> str: ...


Ask = Callable[[str, bytes], Awaitable[DeskReply]]


@dataclass(slots=True)
class _Kept:
    reply: DeskReply
    until: float


class Desk:
    """Where reading calls wait for their answers."""

    def __init__(self, ask: Ask, limits: Limits, now: Callable[[], float]) -> None:
        self._ask = ask
        self._limits = limits
        self._now = now
        self._kept: OrderedDict[tuple[str, bytes], _Kept] = OrderedDict()
        self._kept_bytes = 0
        self._asked: dict[tuple[str, bytes], asyncio.Future[DeskReply]] = {}
        """Questions that wait or are being answered."""
        self._waiting: Counter[str] = Counter()
        """How many of an address."""
        self._turn = asyncio.Lock()
        self._rested_at = 0.0
        """When all reading so far has been rested from."""

    async def answer(self, call: str, request: bytes, peer: str) -> bytes:
        """The bytes of the response. Raises ProtocolError."""
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
        # Until the answer is there: who gives up must not make room for further questions.
        self._waiting[address] += 1
        asked.add_done_callback(lambda _: self._leave(address))
        return _content(await asyncio.shield(asked))

    def _leave(self, address: str) -> None:
        self._waiting[address] -= 1
        if not self._waiting[address]:
            del self._waiting[address]

    async def _answered(self, question: tuple[str, bytes]) -> DeskReply:
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
        """For how long nothing is read, because so much was."""
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


def _content(reply: DeskReply) -> bytes:
    if reply.status:
        raise ProtocolError(grpc.StatusCode[reply.status], reply.content.decode())
    return reply.content
