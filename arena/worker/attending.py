"""Whether a program's bot is connected, as the referee tells whoever runs the program."""

import asyncio
from typing import Final

import grpc
import grpc.aio

from arena.bot.address import Address
from arena.errors import UserError
from arena.v1 import attendance_pb2 as pb
from arena.v1.attendance_pb2_grpc import AttendanceServiceStub

RETRY_SECONDS: Final = 0.5
_PASSING: Final = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.CANCELLED,
)


class AttendanceError(UserError):
    """The referee does not let the bot play (any more); the message says why."""


async def connected(referee: Address, token: str) -> None:
    """Wait until the bot of a token is connected. Raises AttendanceError."""
    await _attend(referee, token, drain=False)


async def drained(referee: Address, token: str) -> None:
    """Let the bot of a token leave, and wait until its matches are over. Raises AttendanceError."""
    await _attend(referee, token, drain=True)


async def _attend(referee: Address, token: str, *, drain: bool) -> None:
    """Also beyond a restart of the referee: matches go on then."""
    metadata = (("authorization", f"Bearer {token}"),)
    async with referee.aio_channel() as channel:
        attend = AttendanceServiceStub(channel).Attend
        while True:
            try:
                answers = attend(pb.AttendRequest(drain=drain), metadata=metadata)
                async for answer in answers:
                    if not drain and answer.streams:
                        answers.cancel()
                        return
                if drain:
                    return
            except grpc.aio.AioRpcError as error:
                if error.code() not in _PASSING:
                    raise AttendanceError(
                        f"The referee does not let this bot play: {error.details()}."
                    ) from error
            await asyncio.sleep(RETRY_SECONDS)
