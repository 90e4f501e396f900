"""`Shifts`, the gRPC calls of a worker to the first referee that it can reach.

UserError
└── WorkerCallError           the referee refuses, or cannot be reached
    ├── TemporaryCallError    the same call may succeed later
    └── UnknownTokenError     the referee knows no worker with this token
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import grpc

from arena.bot.address import Address
from arena.codec.checks import write_outcome
from arena.errors import UserError
from arena.records import CheckOutcome
from arena.v1 import worker_pb2 as pb
from arena.v1.worker_pb2_grpc import WorkerServiceStub
from arena.worker.known_referees import KnownReferees

ANSWER_SECONDS: Final = 15.0
FETCH_SECONDS: Final = 60.0
_TEMPORARY: Final = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
)
"""Statuses of calls that may succeed later."""

AnswerT = TypeVar("AnswerT")


class WorkerCallError(UserError):
    """The referee refuses, or cannot be reached; the message says why."""


class TemporaryCallError(WorkerCallError):
    """No referee or database answers now; the same call may succeed later."""


class UnknownTokenError(WorkerCallError):
    """The referee knows no worker with this token."""


@dataclass(frozen=True, slots=True)
class ShiftEnd:
    """The end of a shift, as reported to the referee."""

    outcome: str
    log: str = ""
    accepted: bool | None = None
    """The result of a check; None if it failed for reasons outside the build and is repeated."""
    check: CheckOutcome | None = None
    cut_short: bool = False
    """Whether the program or its build ended the shift early; the next one should be delayed."""


class Shifts:
    """The calls that begin and end shifts. Every method raises WorkerCallError."""

    def __init__(self, referees: KnownReferees, token: str, slots: int = 0) -> None:
        """Use a worker's token; `slots` is the number of shifts that the worker runs at once."""
        self._referees = referees
        self._slots = slots
        self._metadata = (("authorization", f"Bearer {token}"),)
        # Any, because generated stubs are also typed for grpc.aio.
        self._stubs: dict[Address, Any] = {}

    async def try_token(self) -> None:
        """Check the token by a request for a shift of bot 0, which does not exist.

        Raises UnknownTokenError if the referee does not know the token.
        """
        await self.begin()

    async def begin(
        self, *, bot_id: int = 0, check_version_id: int = 0, tournament_version_id: int = 0
    ) -> pb.BeginShiftResponse | None:
        """Begin a shift of a bot, the check of a version, or a version's tournament shift.

        Returns None if there is nothing to do.
        """
        request = pb.BeginShiftRequest(
            bot_id=bot_id,
            check_version_id=check_version_id,
            tournament_version_id=tournament_version_id,
            slots=self._slots,
        )
        begun: pb.BeginShiftResponse | None = await self._begun("BeginShift", request)
        return begun

    async def fetch(self, shift_id: int) -> bytes:
        """Return the build that a shift runs."""
        return await self._fetch(pb.FetchBuildRequest(shift_id=shift_id))

    async def fetch_for_final(self, event_id: int, sha256: bytes) -> bytes:
        """Return a build of an event."""
        return await self._fetch(pb.FetchBuildRequest(event_id=event_id, sha256=sha256))

    async def begin_final(self, block: pb.FinalBlock) -> pb.BeginFinalBlockResponse | None:
        """Begin a block of a final. Return None if there is nothing to do."""
        request = pb.BeginFinalBlockRequest(block=block)
        begun: pb.BeginFinalBlockResponse | None = await self._begun("BeginFinalBlock", request)
        return begun

    async def end_final(self, ending: Sequence[pb.EndFinalBlockRequest]) -> None:
        """Hand in a block of a final, as the messages of EndFinalBlock."""

        def hand_in(stub: Any) -> None:
            stub.EndFinalBlock(iter(ending), timeout=ANSWER_SECONDS, metadata=self._metadata)

        await asyncio.to_thread(self._of_any, hand_in)

    async def _fetch(self, request: pb.FetchBuildRequest) -> bytes:
        def fetch(stub: Any) -> bytes:
            parts = stub.FetchBuild(request, timeout=FETCH_SECONDS, metadata=self._metadata)
            return b"".join(part.data for part in parts)

        return await asyncio.to_thread(self._of_any, fetch)

    async def tell_step(self, shift_id: int, step: str) -> None:
        """Report the step that a check has reached."""
        await self._ask("TellStep", pb.TellStepRequest(shift_id=shift_id, step=_text(step)))

    async def end(self, shift_id: int, end: ShiftEnd) -> None:
        """End a shift."""
        request = pb.EndShiftRequest(
            shift_id=shift_id,
            outcome=_text(end.outcome),
            log=_text(end.log),
            accepted=end.accepted is True,
            undecided=end.accepted is None,
            cut_short=end.cut_short,
        )
        if end.check is not None:
            write_outcome(end.check, request.check)
        await self._ask("EndShift", request)

    async def _begun(self, call: str, request: Any) -> Any:
        """Return the answer to a call that begins a task, and store the referees that it names.

        Returns None if there is nothing to do.
        """
        try:
            begun = await self._ask(call, request)
        except _NothingError:
            return None
        self._referees.told(begun.referees.addresses)
        return begun

    async def _ask(self, call: str, request: Any) -> Any:
        return await asyncio.to_thread(
            self._of_any,
            lambda stub: getattr(stub, call)(
                request, timeout=ANSWER_SECONDS, metadata=self._metadata
            ),
        )

    def _of_any(self, ask: Callable[[Any], AnswerT]) -> AnswerT:
        """Return the answer of the first referee that can be reached."""
        found = WorkerCallError("no referee is known")
        for address in self._referees.in_turn:
            stub = self._stubs.get(address)
            if stub is None:
                stub = self._stubs[address] = WorkerServiceStub(address.channel())
            try:
                return ask(stub)
            except grpc.RpcError as error:
                found = _refused(address, error)
                if not isinstance(found, _UnreachedError):
                    raise found from error
                # Drop the channel: it would wait up to two minutes before it connects again.
                self._stubs.pop(address, None)
        raise found


def _text(said: str) -> str:
    """Return text that a referee accepts: without the NUL characters that a program may print."""
    return said.replace("\0", "")


def _refused(address: Address, error: Any) -> WorkerCallError:
    code, details = error.code(), error.details() or ""
    if code is grpc.StatusCode.NOT_FOUND:
        return _NothingError(details)
    if code is grpc.StatusCode.UNAVAILABLE and "database" not in details:
        return _UnreachedError(address.why_unreachable(details))
    kind = WorkerCallError
    if code is grpc.StatusCode.UNAUTHENTICATED:
        kind = UnknownTokenError
    elif code in _TEMPORARY:
        kind = TemporaryCallError
    return kind(f"The referee refuses: {(details or code.name).rstrip('.')}.")


class _UnreachedError(TemporaryCallError):
    """This referee cannot be reached; another one may."""


class _NothingError(WorkerCallError):
    """There is nothing to do."""
