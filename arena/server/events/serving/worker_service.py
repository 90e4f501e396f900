"""`WorkerService`: the calls of the operator's workers, which run hosted bots, also in events."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, Final

import grpc
import grpc.aio

from arena.builds.hosted import HostingTerms, ShiftId, Worker
from arena.codec.checks import read_outcome
from arena.codec.malformed import MalformedError
from arena.codec.transcript import from_message, write_setup
from arena.database.errors import BuildNotKeptError
from arena.database.keys import WORKER_PREFIX
from arena.moments import of_milliseconds
from arena.records import VersionId
from arena.server.events.finals.finals import FinalBlockId, Finals, HandedIn
from arena.server.events.ladders.ladders import ROUND, EventLadders
from arena.server.limits.gate import Gate
from arena.server.limits.guarding import bearer_token, guarded, token_or_nothing
from arena.server.limits.refusals import Context
from arena.server.requests.errors import ProtocolError, malformed
from arena.server.requests.parsing import parsed
from arena.server.uploads.hosted_shifts import HostedShifts
from arena.server.uploads.hosting import require_hosting
from arena.server.uploads.workers import Workers
from arena.signatures import Signer
from arena.v1 import referee_pb2
from arena.v1 import worker_pb2 as pb

MOST_FINAL_MATCHES: Final = 100
"""The largest number of matches of a block: one for each seat."""
MOST_SLOTS: Final = 10_000
"""Upper bound of the number of slots that a worker reports."""
CHUNK_BYTES: Final = 64 * 1024
"""The largest number of bytes of a build in one message."""


class WorkerService:
    """The implementation of the proto's WorkerService."""

    def __init__(
        self,
        workers: Workers,
        shifts: HostedShifts,
        finals: Finals,
        ladders: EventLadders,
        signer: Callable[[], Awaitable[Signer]],
        terms: HostingTerms | None,
        gate: Gate,
        referees: Callable[[], Sequence[str]],
    ) -> None:
        """Serve workers under `terms`, which are None if the arena hosts no bots.

        `signer` signs the matches of events that are handed in; `referees` returns the addresses of
        all referees.
        """
        self._workers = workers
        self._shifts = shifts
        self._finals = finals
        self._ladders = ladders
        self._signer = signer
        self._terms = terms
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
            "BeginFinalBlock": self._handler("BeginFinalBlock", self._begin_final),
            "EndFinalBlock": grpc.stream_unary_rpc_method_handler(
                # Read as bytes: malformed ones end the call with our message.
                self._end_final,
                response_serializer=pb.EndFinalBlockResponse.SerializeToString,
            ),
        }

    def _handler(
        self, call: str, answer: Callable[[Any, Worker], Awaitable[Any]]
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        """Return the handler of a unary call that only workers may make."""

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
        """Return the worker that makes a call.

        Raises ProtocolError if its token is not a worker's.
        """
        token = bearer_token(context)
        async with self._gate.trying(token, self._gate.caller(context)):
            worker = await self._workers.by_token(token)
            if worker is None:
                raise ProtocolError(
                    grpc.StatusCode.UNAUTHENTICATED,
                    "no worker has this token: see `arena worker add`"
                    if token.startswith(WORKER_PREFIX)
                    else "this is not a worker's token: those begin with " + WORKER_PREFIX,
                )
            return worker

    async def _begin(self, request: pb.BeginShiftRequest, worker: Worker) -> pb.BeginShiftResponse:
        terms = require_hosting(self._terms)
        await self._workers.tell_seen(worker, min(max(request.slots, 0), MOST_SLOTS))
        if request.check_version_id:
            version_id = VersionId(request.check_version_id)
            begun = await self._shifts.begin_check(worker, version_id)
        elif request.tournament_version_id:
            version_id = VersionId(request.tournament_version_id)
            begun = await self._shifts.begin_tournament(worker, version_id, terms)
        else:
            begun = await self._shifts.begin_play(worker, request.bot_id, terms)
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
            if request.event_id:
                data = await self._build_of_event(request.event_id, request.sha256)
            else:
                data = await self._shifts.build_file(worker, ShiftId(request.shift_id))
            for start in range(0, len(data), CHUNK_BYTES):
                part = data[start : start + CHUNK_BYTES]
                await context.write(pb.FetchBuildResponse(data=part))

        await guarded(self._gate, "FetchBuild", context, send, token_or_nothing(context))

    async def _build_of_event(self, event_id: int, sha256: bytes) -> bytes:
        try:
            return await self._finals.build_file(event_id, sha256)
        except BuildNotKeptError:
            return await self._ladders.build_file(event_id, sha256)

    def _blocks_of(self, block: FinalBlockId) -> Finals | EventLadders:
        return self._ladders if block.round == ROUND else self._finals

    async def _begin_final(
        self, request: pb.BeginFinalBlockRequest, _worker: Worker
    ) -> pb.BeginFinalBlockResponse:
        block = _block(request.block)
        found = await self._blocks_of(block).begin_block(block)
        if found is None:
            raise ProtocolError(grpc.StatusCode.NOT_FOUND, "there is nothing to do any more")
        response = pb.BeginFinalBlockResponse()
        for build in found.builds:
            assert build.sha256 is not None, "workers play builds"
            response.builds.add(sha256=build.sha256, file_name=build.file_name)
        for dealt in found.matches:
            seated = [found.entries.index(entry) for entry in dealt.entries]
            match = response.matches.add(
                secret=dealt.secret, entropies=dealt.entropies, builds=seated
            )
            write_setup(dealt.setup, match.setup)
        response.referees.addresses.extend(self._referees())
        return response

    async def _end_final(
        self, requests: AsyncIterator[bytes], context: Context
    ) -> pb.EndFinalBlockResponse:
        async def answer() -> pb.EndFinalBlockResponse:
            await self._worker(context)
            told = []
            async for data in requests:
                told.append(parsed(pb.EndFinalBlockRequest, data))
                if len(told) > 1 + MOST_FINAL_MATCHES:
                    raise malformed(f"a block of a final has at most {MOST_FINAL_MATCHES} matches")
            if not told:
                raise malformed("the first message says which block it is")
            await self._record_block(told[0], [one.match for one in told[1:]])
            return pb.EndFinalBlockResponse()

        return await guarded(
            self._gate, "EndFinalBlock", context, answer, token_or_nothing(context)
        )

    async def _record_block(
        self, request: pb.EndFinalBlockRequest, matches: Sequence[pb.PlayedFinalMatch]
    ) -> None:
        """Record a block. Raises ProtocolError if it is malformed."""
        block = _block(request.block)
        if request.absent:
            await self._blocks_of(block).absent(block, list(request.absent), request.reason)
            return
        try:
            played = [
                HandedIn(
                    from_message(one.transcript),
                    of_milliseconds(one.started_ms),
                    of_milliseconds(one.finished_ms),
                )
                for one in matches
            ]
        except (MalformedError, OverflowError, OSError, ValueError) as error:
            raise malformed(str(error)) from error
        await self._blocks_of(block).end_block(block, played, await self._signer())

    async def _tell_step(self, request: pb.TellStepRequest, worker: Worker) -> pb.TellStepResponse:
        await self._shifts.tell_step(worker, ShiftId(request.shift_id), request.step)
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
        await self._shifts.end(
            *(worker, shift, request.outcome, request.log),
            accepted=accepted,
            check=check,
            cut_short=request.cut_short,
        )
        return pb.EndShiftResponse()


def _block(block: pb.FinalBlock) -> FinalBlockId:
    return FinalBlockId(block.event_id, block.round, block.table, block.number)
