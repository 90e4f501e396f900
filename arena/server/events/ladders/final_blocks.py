"""`WorkersBlocks`: blocks of events as workers ask for them, in messages.

See `arena.server.uploads.worker_service`.
"""

from collections.abc import Awaitable, Callable, Sequence

from google.protobuf.message import Message

from arena.codec.malformed import MalformedError
from arena.codec.transcript import from_message, write_setup
from arena.database.errors import BuildNotKeptError
from arena.moments import of_milliseconds
from arena.server.events.finals.finals import FinalBlockId, Finals, HandedIn
from arena.server.events.ladders.ladders import ROUND, EventLadders
from arena.server.requests.errors import malformed
from arena.signatures import Signer
from arena.v1 import worker_pb2 as pb


class WorkersBlocks:
    """The FinalBlocks of a referee, which signs what is handed in: of finals and of ladders."""

    def __init__(
        self, finals: Finals, ladders: EventLadders, signer: Callable[[], Awaitable[Signer]]
    ) -> None:
        self._finals = finals
        self._ladders = ladders
        self._signer = signer

    async def begin(self, request: pb.BeginFinalBlockRequest) -> pb.BeginFinalBlockResponse | None:
        """Return what a block consists of; None if there is nothing to do any more."""
        block = _block(request.block)
        found = await self._of(block).begin_block(block)
        if found is None:
            return None
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
        return response

    async def end(
        self, request: pb.EndFinalBlockRequest, matches: Sequence[pb.PlayedFinalMatch]
    ) -> None:
        """Record a block. Raises ProtocolError for one that is not as it was to be."""
        block = _block(request.block)
        if request.absent:
            await self._of(block).absent(block, list(request.absent), request.reason)
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
        await self._of(block).end_block(block, played, await self._signer())

    async def build_file(self, event_id: int, sha256: bytes) -> bytes:
        """Return the bytes of a build of an event. Raises BuildNotKeptError."""
        try:
            return await self._finals.build_file(event_id, sha256)
        except BuildNotKeptError:
            return await self._ladders.build_file(event_id, sha256)

    def _of(self, block: FinalBlockId) -> Finals | EventLadders:
        return self._ladders if block.round == ROUND else self._finals


def _block(message: Message) -> FinalBlockId:
    assert isinstance(message, pb.FinalBlock)
    return FinalBlockId(message.event_id, message.round, message.table, message.number)
