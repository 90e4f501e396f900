"""A bare grpc.aio server that exchanges a referee's messages with its bots, and does no more.

python -m benchmarks.referee_load.bare PORT

Bots that play are paired in the order of their hellos, and play one canned match of Bluff after the
other as `players` play it at a referee: an offer and a join, a begin, turns and answers that
alternate, an end. Each message has the size that it has on average there; what comes in is not
parsed. With more than one match a bot, those of a pair go in step and share their messages.

The task that has read a message also writes what follows it. A separate task for writing took as
much CPU within 3 % (two rounds).
"""

import asyncio
from typing import Any, Final

import grpc.aio
from google.protobuf.message import Message

from arena.codec.turns import part
from arena.server.app.event_loop import run
from arena.server.limits.channel_options import OPTIONS
from arena.v1 import referee_pb2
from benchmarks.options import words
from benchmarks.referee_load.echo import serve_streams

DECISIONS: Final = 22
"""The decisions of a match of two `players`."""
OFFER_BYTES, BEGIN_BYTES, TURN_BYTES, END_BYTES = 129, 88, 153, 902
"""The mean sizes at a referee of messages that hold one of these."""
_FILLING: Final = b"\xfa\x07"
"""The tag of a field that no message has: number 127, of bytes."""

Context = grpc.aio.ServicerContext[Any, Any]


class Table:
    """A pair of bots, and its matches, which go in step."""

    def __init__(self, number: int, matches: int, bots: tuple[Context, Context]) -> None:
        one = f"{number:036}"
        turn = referee_pb2.Turn(match_id=one, turn_number=2)
        bluff = turn.view.bluff  # with the fields that `players` read
        bluff.lowest.extend([2, 1, 1, 1, 1, 1])
        bluff.highest, bluff.can_doubt = 10, True
        self._bots = bots
        self._offers = matches * _sized("offers", referee_pb2.Offer(match_id=one), OFFER_BYTES)
        self._begins = matches * _sized("begins", referee_pb2.Begin(match_id=one), BEGIN_BYTES)
        self._turns = matches * _sized("turns", turn, TURN_BYTES)
        self._ends = matches * _sized("ends", referee_pb2.End(match_id=one), END_BYTES)
        self._came = 0
        """Messages from the bots since the offers."""

    async def offer(self) -> None:
        """Offer the next matches."""
        self._came = 0
        for bot in self._bots:
            await bot.write(self._offers)

    async def came(self, bot: Context) -> None:
        """Send what follows a message of a bot."""
        self._came += 1
        first, second = self._bots
        if self._came == len(self._bots):
            await second.write(self._begins)
            await first.write(self._begins + self._turns)
        elif self._came == len(self._bots) + DECISIONS:
            for one in self._bots:
                await one.write(self._ends)
            await self.offer()
        elif self._came > len(self._bots):
            await (second if bot is first else first).write(self._turns)


def _sized(name: str, message: Message, size: int) -> bytes:
    """Return a part of a PlayResponse of `size` bytes, or one or two more."""
    data, filling = message.SerializeToString(), 0
    while len(found := part(name, data + _filling(filling))) < size:
        filling += 1
    return found


def _filling(size: int) -> bytes:
    length = bytes([size]) if size < 128 else bytes([size & 127 | 128, size >> 7])
    return _FILLING + length + bytes(size)


class Server:
    """The calls of all bots."""

    def __init__(self) -> None:
        self._tables: dict[Context, Table] = {}
        self._single: Context | None = None
        """A bot without an opponent yet."""

    async def play(self, _requests: object, context: Context) -> None:
        """Handle one call."""
        hello = referee_pb2.PlayRequest.FromString(await context.read()).hello
        welcome = referee_pb2.PlayResponse()
        welcome.welcome.entrant.bot = context.peer()
        await context.write(welcome.SerializeToString())
        if hello.challenges != referee_pb2.CHALLENGE_POLICY_OWN_ONLY:
            await self._seat(context, hello.max_matches)
        while (await context.read()) is not grpc.aio.EOF:
            await self._tables[context].came(context)
        await asyncio.sleep(1)  # grpc cancels the call: no status can be sent to a bot that is gone

    async def _seat(self, bot: Context, matches: int) -> None:
        other, self._single = self._single, bot
        if other is not None:
            self._single = None
            table = Table(len(self._tables), matches, (other, bot))
            self._tables[other] = self._tables[bot] = table
            await table.offer()


if __name__ == "__main__":
    (port,) = words()
    run(serve_streams(port, "/arena.v1.RefereeService/Play", Server().play, OPTIONS))
