"""`Shifts`: what a worker asks of the referee, over gRPC.

UserError
└── WorkerCallError    the referee refuses, or cannot be reached
"""

import asyncio
from typing import Any, Final

import grpc

from arena.bot.address import Address
from arena.codec.checks import write_outcome
from arena.errors import UserError
from arena.records import CheckOutcome
from arena.v1 import worker_pb2 as pb
from arena.v1.worker_pb2_grpc import WorkerServiceStub

ANSWER_SECONDS: Final = 15.0
FETCH_SECONDS: Final = 60.0


class WorkerCallError(UserError):
    """The referee refuses, or cannot be reached; the message says why."""


class Shifts:
    """Begins and ends shifts. Every method raises WorkerCallError."""

    def __init__(self, address: Address, token: str) -> None:
        self._address = address
        self._metadata = (("authorization", f"Bearer {token}"),)
        # The types of generated stubs are those of grpc.aio as well.
        self._stub: Any = WorkerServiceStub(address.channel())

    async def begin(
        self, *, bot_id: int = 0, check_version_id: int = 0
    ) -> pb.BeginShiftResponse | None:
        """A shift of a bot, or the check of a version; None if there is nothing to do any more."""
        request = pb.BeginShiftRequest(bot_id=bot_id, check_version_id=check_version_id)
        try:
            begun: pb.BeginShiftResponse = await self._ask(self._stub.BeginShift, request)
        except _NothingError:
            return None
        return begun

    async def fetch(self, shift_id: int) -> bytes:
        """The build that a shift runs."""

        def fetch() -> bytes:
            request = pb.FetchBuildRequest(shift_id=shift_id)
            parts = self._stub.FetchBuild(request, timeout=FETCH_SECONDS, metadata=self._metadata)
            return b"".join(part.data for part in parts)

        data: bytes = await self._in_thread(fetch)
        return data

    async def tell_step(self, shift_id: int, step: str) -> None:
        """Say how far a check is."""
        await self._ask(self._stub.TellStep, pb.TellStepRequest(shift_id=shift_id, step=step))

    async def end(
        self,
        shift_id: int,
        outcome: str,
        log: str,
        *,
        accepted: bool | None = None,
        check: CheckOutcome | None = None,
    ) -> None:
        """End a shift. With `accepted` None nothing is decided on the build that it checked."""
        request = pb.EndShiftRequest(
            shift_id=shift_id,
            outcome=outcome,
            log=log,
            accepted=accepted is True,
            undecided=accepted is None,
        )
        if check is not None:
            write_outcome(check, request.check)
        await self._ask(self._stub.EndShift, request)

    async def _ask(self, call: Any, request: Any) -> Any:
        return await self._in_thread(
            lambda: call(request, timeout=ANSWER_SECONDS, metadata=self._metadata)
        )

    async def _in_thread(self, call: Any) -> Any:
        try:
            return await asyncio.to_thread(call)
        except grpc.RpcError as error:
            raise self._refused(error) from error

    def _refused(self, error: Any) -> WorkerCallError:
        code, details = error.code(), error.details() or ""
        if code is grpc.StatusCode.NOT_FOUND:
            return _NothingError(details)
        if code is grpc.StatusCode.UNAVAILABLE and "database" not in details:
            return WorkerCallError(self._address.why_unreachable(details))
        return WorkerCallError(f"The referee refuses: {(details or code.name).rstrip('.')}.")


class _NothingError(WorkerCallError):
    """There is nothing to do."""
