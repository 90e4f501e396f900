"""`UploadService`: the calls with which owners upload builds and manage hosted bots."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import grpc
import grpc.aio

from arena.builds.build import BuildRefusedError, check_size, read_build
from arena.builds.hosted import SLOWEST_UPLOAD, BuildState, HostingTerms
from arena.codec.mirrored import message_of
from arena.codec.wire_numbers import enum_numbers
from arena.records import Allowance, Owner
from arena.server.accounts.owner_calls import OwnerCalls, OwnerKeys
from arena.server.limits.gate import Gate
from arena.server.limits.guarding import guarded, token_or_nothing
from arena.server.limits.limits import LimitError
from arena.server.limits.refusals import Context
from arena.server.requests.errors import ProtocolError, malformed
from arena.server.requests.parsing import parsed
from arena.server.uploads.hosted_builds import HostedBuilds
from arena.server.uploads.hosting import require_hosting
from arena.server.uploads.shift_logs import ShiftLogs
from arena.v1 import upload_pb2 as pb

MOST_AT_ONCE: Final = 16
"""The largest number of uploads received at the same time; further ones wait.

Each takes as much memory as its build.
"""
MOST_OF_AN_OWNER: Final = 4
"""The largest number of one owner's uploads at the same time; further ones are refused."""
PAUSE_SECONDS: Final = 10.0
"""The time by which an arriving build may fall behind SLOWEST_UPLOAD.

A slow upload holds a place that others wait for.
"""
CHUNK_BYTES: Final = 64 * 1024
"""The largest number of bytes of a build in one message."""
_FAST_AS_STREAMS: Final = 10
"""The number of bots whose traffic an uploading connection may match."""
_FAST_AFTERWARDS_SECONDS: Final = 5.0
"""The time after an upload for which its connection keeps this allowance.

If several uploads share a connection, the bytes of the next arrive before its call begins, and
would otherwise count as a stranger's.
"""
_STATES: Final = enum_numbers(BuildState, pb.BuildState.DESCRIPTOR)


class UploadService:
    """The implementation of the proto's UploadService."""

    def __init__(
        self,
        keys: OwnerKeys,
        builds: HostedBuilds,
        shift_logs: ShiftLogs,
        terms: HostingTerms | None,
        allowance: Allowance,
        gate: Gate,
    ) -> None:
        """Serve uploads under `terms`, which are None if the arena hosts no bots."""
        self._calls = OwnerCalls(keys, gate, pb)
        self._builds_kept = builds
        self._shift_logs = shift_logs
        self._hosting = terms
        self._allowance = allowance
        self._gate = gate
        self._receiving = asyncio.Semaphore(MOST_AT_ONCE)
        self._uploading: Counter[str] = Counter()
        """The number of running uploads by owner."""
        self._lingering: dict[str, asyncio.TimerHandle] = {}
        """The timers, by peer, that end the extra allowance after the peer's last upload."""

    @property
    def handlers(self) -> "dict[str, grpc.RpcMethodHandler[Any, Any]]":
        """The calls by name, for the server."""
        of_owner = self._calls.of_owner
        return {
            "GetUploadTerms": self._calls.of_anybody("GetUploadTerms", self._terms),
            "UploadBuild": grpc.stream_unary_rpc_method_handler(
                # Read as bytes, so that malformed messages end the call with our own error.
                self._upload,
                response_serializer=pb.UploadBuildResponse.SerializeToString,
            ),
            "ListBuilds": of_owner("ListBuilds", self._builds),
            "RollBack": of_owner("RollBack", self._roll_back, changes=True),
            "ListShifts": of_owner("ListShifts", self._shifts),
            "GetMatchLog": of_owner("GetMatchLog", self._match_log),
        }

    async def _terms(self, _request: Any, _context: Context) -> pb.GetUploadTermsResponse:
        terms = self._hosting
        if terms is None:
            return pb.GetUploadTermsResponse()
        return message_of(pb.GetUploadTermsResponse, terms, hosting=True)

    async def _upload(self, _requests: object, context: Context) -> pb.UploadBuildResponse:
        async def answer() -> pb.UploadBuildResponse:
            owner = await self._calls.owner(context)
            self._gate.registration(owner)
            with self._one_more(owner), self._fast(context.peer()):
                async with self._receiving:
                    return await self._receive(owner, context)

        key = token_or_nothing(context)
        return await guarded(self._gate, "UploadBuild", context, answer, key)

    async def _receive(self, owner: Owner, context: Context) -> pb.UploadBuildResponse:
        try:
            async with asyncio.timeout(PAUSE_SECONDS) as patience:
                header, data = await self._read(context, patience)
        except TimeoutError as error:
            raise ProtocolError(
                grpc.StatusCode.DEADLINE_EXCEEDED,
                f"the build came too slowly: {SLOWEST_UPLOAD // 1000} kB a second are needed",
            ) from error
        terms = require_hosting(self._hosting)
        try:
            # In a thread, as bots wait for the event loop.
            build = await asyncio.to_thread(read_build, header.file_name, data, terms.build_bytes)
            sha256 = await asyncio.to_thread(lambda: build.sha256)
        except BuildRefusedError as error:
            raise malformed(str(error)) from error
        entrant = await self._builds_kept.upload(
            *(owner, header.bot, header.version, build),
            terms=terms,
            allowance=self._allowance,
        )
        notices = await self._builds_kept.notices(owner, entrant.bot, terms)
        return message_of(pb.UploadBuildResponse, entrant, sha256=sha256, notices=notices)

    async def _read(
        self, context: Context, patience: asyncio.Timeout
    ) -> tuple[pb.UploadBuildRequest, bytes]:
        """Return the first message, and the bytes of all others: as many as the first announces.

        Each part received extends the deadline for the rest. Raises ProtocolError.
        """
        began = asyncio.get_running_loop().time()
        header = await _next(context)
        if header is None or header.data:
            raise malformed("the first message must describe the build and carry no data")
        try:
            check_size(header.file_name, header.size, require_hosting(self._hosting).build_bytes)
        except BuildRefusedError as error:
            raise malformed(str(error)) from error
        data = bytearray()
        while (part := await _next(context)) is not None:
            data += part.data
            patience.reschedule(began + PAUSE_SECONDS + len(data) / SLOWEST_UPLOAD)
            if len(part.data) > CHUNK_BYTES or len(data) > header.size:
                raise malformed(
                    f"a message holds at most {CHUNK_BYTES:,} bytes, and all together the size "
                    "that the first one gives"
                )
        if len(data) != header.size:
            raise malformed(f"{len(data):,} bytes came instead of {header.size:,}")
        return header, bytes(data)

    @contextmanager
    def _one_more(self, owner: Owner) -> Iterator[None]:
        """Count one more upload of an owner; raise LimitError if it has too many."""
        if self._uploading[owner.name] >= MOST_OF_AN_OWNER:
            raise LimitError("uploads", "too many uploads of yours at once", 1)
        self._uploading[owner.name] += 1
        try:
            yield
        finally:
            self._uploading[owner.name] -= 1
            if not self._uploading[owner.name]:
                del self._uploading[owner.name]

    @contextmanager
    def _fast(self, peer: str) -> Iterator[None]:
        """Let the peer send as much as several bots, until a while after the block."""
        known = self._gate.connections.known
        known(peer, _FAST_AS_STREAMS)
        try:
            yield
        finally:
            lingering = self._lingering.pop(peer, None)
            if lingering is not None:  # otherwise the allowances of many small uploads would add up
                lingering.cancel()
                known(peer, -_FAST_AS_STREAMS)
            loop = asyncio.get_running_loop()
            self._lingering[peer] = loop.call_later(_FAST_AFTERWARDS_SECONDS, self._slow_down, peer)

    def _slow_down(self, peer: str) -> None:
        del self._lingering[peer]
        self._gate.connections.known(peer, -_FAST_AS_STREAMS)

    async def _builds(self, request: pb.ListBuildsRequest, owner: Owner) -> pb.ListBuildsResponse:
        found = await self._builds_kept.of(owner, request.bot or None)
        return pb.ListBuildsResponse(
            builds=[message_of(pb.HostedBuild, one, state=_STATES[one.state]) for one in found],
            notices=await self._builds_kept.open_events(owner, request.bot or None),
        )

    async def _roll_back(self, request: pb.RollBackRequest, owner: Owner) -> None:
        if not request.version:
            raise malformed("say to which version: `arena bot builds` lists them")
        require_hosting(self._hosting)
        await self._builds_kept.roll_back(owner, request.bot, request.version)

    async def _shifts(self, request: pb.ListShiftsRequest, owner: Owner) -> pb.ListShiftsResponse:
        found = await self._shift_logs.of(owner, request.bot, request.version)
        return pb.ListShiftsResponse(shifts=[message_of(pb.HostedShift, one) for one in found])

    async def _match_log(
        self, request: pb.GetMatchLogRequest, owner: Owner
    ) -> pb.GetMatchLogResponse:
        found = await self._shift_logs.match_log(owner, request.bot, request.match_id)
        return message_of(pb.GetMatchLogResponse, found)


async def _next(context: Context) -> pb.UploadBuildRequest | None:
    """Return the next message of an upload; None at its end."""
    receive: Callable[[], Awaitable[Any]] = context.read
    data = await receive()
    if data is grpc.aio.EOF:
        return None
    return parsed(pb.UploadBuildRequest, data)
