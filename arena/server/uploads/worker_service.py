"""`WorkerService`: the calls of the operator's workers, which run hosted bots."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Protocol

import grpc
import grpc.aio

from arena.builds.hosted import BegunShift, ShiftId, Worker
from arena.codec.checks import read_outcome
from arena.codec.malformed import MalformedError
from arena.records import CheckOutcome, VersionId
from arena.server.limits.gate import Gate
from arena.server.limits.guarding import bearer_token, guarded, token_or_nothing
from arena.server.limits.refusals import Context
from arena.server.requests.errors import ProtocolError, malformed
from arena.v1 import referee_pb2
from arena.v1 import worker_pb2 as pb

CHUNK_BYTES: Final = 64 * 1024
"""Of a build, in one message."""


class ShiftRegistry(Protocol):
    """What the calls need. Every method raises ProtocolError for a request that it refuses."""

    async def worker(self, token: str) -> Worker:
        """The worker that has this token."""
        ...

    async def begin_play(self, worker: Worker, bot_id: int) -> BegunShift | None:
        """Begin a shift of play; None if the bot is not to play any more."""
        ...

    async def begin_check(self, worker: Worker, version_id: VersionId) -> BegunShift | None:
        """Begin the check of a build; None if it is not to be checked any more."""
        ...

    async def build_file(self, worker: Worker, shift: ShiftId) -> bytes:
        """The build that a shift runs."""
        ...

    async def tell_step(self, worker: Worker, shift: ShiftId, step: str) -> None:
        """Say how far a check is."""
        ...

    async def end_shift(
        self,
        worker: Worker,
        shift: ShiftId,
        outcome: str,
        log: str,
        accepted: bool | None,
        check: CheckOutcome | None,
        *,
        cut_short: bool,
    ) -> None:
        """End a shift; with `accepted` None nothing is decided on the build that it checked. The
        next one is delayed if the program cut it short."""
        ...


class WorkerService:
    """Serves the proto's WorkerService."""

    def __init__(
        self, registry: ShiftRegistry, gate: Gate, referees: Callable[[], Sequence[str]]
    ) -> None:
        """`referees` says where all of them are reached."""
        self._registry = registry
        self._gate = gate
        self._referees = referees

    @property
    def handlers(self) -> "dict[str, grpc.RpcMethodHandler[Any, Any]]":
        """The calls by name, for the server."""
        return {
            "BeginShift": self._handler("BeginShift", self._begin),
            "FetchBuild": grpc.unary_stream_rpc_method_handler(
                self._fetch,
                request_deserializer=pb.FetchBuildRequest.FromString,
                response_serializer=pb.FetchBuildResponse.SerializeToString,
            ),
            "TellStep": self._handler("TellStep", self._tell_step),
            "EndShift": self._handler("EndShift", self._end),
        }

    def _handler(
        self, call: str, answer: Callable[[Any, Worker], Awaitable[Any]]
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        async def handle(request: Any, context: Context) -> Any:
            async def authenticated() -> Any:
                return await answer(request, await self._worker(context))

            return await guarded(
                self._gate, call, context, authenticated, token_or_nothing(context)
            )

        return grpc.unary_unary_rpc_method_handler(
            handle,
            request_deserializer=getattr(pb, f"{call}Request").FromString,
            response_serializer=getattr(pb, f"{call}Response").SerializeToString,
        )

    async def _worker(self, context: Context) -> Worker:
        token = bearer_token(context)
        async with self._gate.trying(token, self._gate.caller(context)):
            return await self._registry.worker(token)

    async def _begin(self, request: pb.BeginShiftRequest, worker: Worker) -> pb.BeginShiftResponse:
        if request.check_version_id:
            version_id = VersionId(request.check_version_id)
            begun = await self._registry.begin_check(worker, version_id)
        else:
            begun = await self._registry.begin_play(worker, request.bot_id)
        if begun is None:
            raise ProtocolError(grpc.StatusCode.NOT_FOUND, "there is nothing to do any more")
        if begun.token:
            self._gate.learn(begun.token)
        return pb.BeginShiftResponse(
            shift_id=begun.id,
            bot=begun.entrant.bot,
            version=begun.entrant.version,
            token=begun.token,
            sha256=begun.sha256,
            file_name=begun.file_name,
            seconds=begun.seconds,
            referees=referee_pb2.Referees(addresses=self._referees()),
        )

    async def _fetch(self, request: pb.FetchBuildRequest, context: Context) -> None:
        async def send() -> None:
            worker = await self._worker(context)
            data = await self._registry.build_file(worker, ShiftId(request.shift_id))
            for start in range(0, len(data), CHUNK_BYTES):
                part = data[start : start + CHUNK_BYTES]
                await context.write(pb.FetchBuildResponse(data=part))

        await guarded(self._gate, "FetchBuild", context, send, token_or_nothing(context))

    async def _tell_step(self, request: pb.TellStepRequest, worker: Worker) -> pb.TellStepResponse:
        await self._registry.tell_step(worker, ShiftId(request.shift_id), request.step)
        return pb.TellStepResponse()

    async def _end(self, request: pb.EndShiftRequest, worker: Worker) -> pb.EndShiftResponse:
        check = None
        if request.HasField("check"):
            try:
                check = read_outcome(request.check)
            except MalformedError as error:
                raise malformed(str(error)) from error
        shift = ShiftId(request.shift_id)
        accepted = None if request.undecided else request.accepted
        await self._registry.end_shift(
            *(worker, shift, request.outcome, request.log, accepted, check),
            cut_short=request.cut_short,
        )
        return pb.EndShiftResponse()
