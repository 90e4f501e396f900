"""The referee's reports to a worker on whether its program's bot is connected or should leave."""

import asyncio
from collections.abc import Callable
from typing import Final

import grpc
import grpc.aio

from arena.errors import UserError
from arena.v1 import attendance_pb2 as pb
from arena.v1.attendance_pb2_grpc import AttendanceServiceStub
from arena.worker.known_referees import KnownReferees, NoRefereeError

RETRY_SECONDS: Final = 0.5
TAKEN_OVER_SECONDS: Final = 4.0
"""The time in which another referee takes over the matches of a lost one.

Before that no referee expects the bot, and draining would seem complete.
"""
_PASSING: Final = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.CANCELLED,
)


class AttendanceError(UserError):
    """The referee does not let the bot play (any more); the message says why."""


async def connected(referees: KnownReferees, token: str) -> None:
    """Wait until the bot of a token is connected. Raises AttendanceError."""
    await _attend(referees, token, lambda answer: answer.streams > 0)


async def asked_to_leave(referees: KnownReferees, token: str) -> None:
    """Wait until the slot of a token's bot is needed for other bots. Raises AttendanceError."""
    await _attend(referees, token, lambda answer: answer.leave)


async def drained(referees: KnownReferees, token: str) -> None:
    """Make the bot of a token leave, and wait until its matches end. Raises AttendanceError."""
    await _attend(referees, token, None)


async def _attend(
    referees: KnownReferees, token: str, until: Callable[[pb.AttendResponse], bool] | None
) -> None:
    """Read the referee's reports on the bot until `until` returns true for one.

    Without `until`, ask the bot to leave and return when its matches are over. If a referee ends,
    connect again, as the matches continue at another one.
    """
    metadata = (("authorization", f"Bearer {token}"),)
    drain = until is None
    while True:
        try:
            async with referees.reached() as channel:
                attend = AttendanceServiceStub(channel).Attend
                answers = attend(pb.AttendRequest(drain=drain), metadata=metadata)
                async for answer in answers:
                    if until is not None and until(answer):
                        answers.cancel()
                        return
                if drain:
                    return
        except NoRefereeError:
            pass
        except grpc.aio.AioRpcError as error:
            if error.code() not in _PASSING:
                raise AttendanceError(
                    f"The referee does not let this bot play: {error.details()}."
                ) from error
        await asyncio.sleep(TAKEN_OVER_SECONDS if drain else RETRY_SECONDS)
