"""Whether a program's bot is connected, as the referee reports to the worker that runs it."""

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
"""The time until another referee has the matches of a lost one: before, none waits for the bot."""
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
    """Wait until the place of a token's bot is needed for others. Raises AttendanceError."""
    await _attend(referees, token, lambda answer: answer.leave)


async def drained(referees: KnownReferees, token: str) -> None:
    """Let the bot of a token leave, and wait until its matches are over. Raises AttendanceError."""
    await _attend(referees, token, None)


async def _attend(
    referees: KnownReferees, token: str, until: Callable[[pb.AttendResponse], bool] | None
) -> None:
    """Attend the bot, also beyond the end of a referee, as its matches then go on elsewhere.

    It ends with an answer of which `until` is true; without `until` the bot is to leave, and it
    ends when its matches are over.
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
