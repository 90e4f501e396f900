"""`LocalReferee`: a gRPC referee for the programs that this process started.

It has no database, no ladder and no limits on its clients; its caller seats the bots.
"""

import asyncio
import hashlib
import logging
import secrets
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final

import grpc
import grpc.aio
import structlog

from arena.local.programs.program import open_socket
from arena.match.transcript import Entrant
from arena.records import Registered, VersionId
from arena.server.limits.channel_options import OPTIONS
from arena.server.limits.gate import Gate
from arena.server.limits.limits import Limits
from arena.server.limits.refusals import Context
from arena.server.play.lobby import Lobby
from arena.server.play.play_service import PlayService
from arena.server.play.ports import Participant
from arena.server.play.session import Session
from arena.server.requests.errors import ProtocolError
from arena.v1 import referee_pb2

_NO_LIMIT: Final = 10**12
_LIMITS: Final = Limits(
    streams_burst=_NO_LIMIT, bytes_burst=_NO_LIMIT, bytes_per_second=_NO_LIMIT, refusal_seconds=0.01
)
_SERVICE: Final = referee_pb2.DESCRIPTOR.services_by_name["RefereeService"].full_name


class LocalReferee:
    """The connections of the programs, by their numbers from 0.

    It checks tokens, and is also the lobby's matchmaker and keeper of missed ends.
    """

    def __init__(self, names: Mapping[int, str], changed: Callable[[], None]) -> None:
        """Make the tokens; `changed` is called when a program connects, leaves or asks to leave."""
        self.tokens = {number: secrets.token_urlsafe(24) for number in names}
        self._numbers = {hashlib.sha256(t.encode()).digest(): n for n, t in self.tokens.items()}
        self._names = names
        self._changed = changed
        self.sessions: dict[int, Session] = {}
        """The newest session of each program that has ever connected."""
        self.leaving: set[int] = set()
        """The programs that asked to leave."""

    # The tokens.

    async def authenticate(self, token: str) -> Registered:
        number = self._numbers.get(hashlib.sha256(token.encode()).digest())
        if number is None:
            raise ProtocolError(
                grpc.StatusCode.UNAUTHENTICATED,
                "this token is not the one in ARENA_TOKEN; a referee at home knows no other",
            )
        entrant = Entrant(self._names[number], "1", "local")
        return Registered(VersionId(number), entrant, house=False)

    # The matchmaker.

    def arrive(self, participant: Participant) -> None:
        assert isinstance(participant, Session)
        number = int(participant.registered.version_id)
        known = self.sessions.get(number)
        if known is None or not known.up:
            self.sessions[number] = participant
        self.leaving.discard(number)
        self._changed()

    def depart(self, _participant: Participant) -> None:
        self._changed()

    def drain(self, participant: Participant) -> None:
        self.leaving.add(int(participant.registered.version_id))
        self._changed()

    def places_changed(self, _participant: Participant) -> None:
        """Do nothing: the places are checked when a match begins."""

    def knows(self, participant: Participant) -> bool:
        return participant in self.sessions.values()

    # Ends that a program missed while it was away are not kept.

    def missed(self, _session: Session, _match_id: str) -> None:
        pass

    def came(self, _session: Session) -> None:
        pass

    # The meter of refusals.

    def refused(self, _code: str) -> None:
        pass

    def limited(self, _limit: str) -> None:
        pass

    @asynccontextmanager
    async def listening(self, address: str = "127.0.0.1:0") -> AsyncIterator[str]:
        """Serve the programs; yields the address for ARENA_ADDRESS."""
        # No key: transcripts of matches at home are not signed.
        lobby = Lobby(self, b"", self)
        play = PlayService(self.authenticate, lobby, Gate(_LIMITS, self, time.monotonic))
        server = grpc.aio.server(options=OPTIONS)
        streams: set[asyncio.Task[Any] | None] = set()

        async def serve_stream(requests: object, context: Context) -> None:
            streams.add(asyncio.current_task())
            try:
                await play.play(requests, context)
            finally:
                streams.discard(asyncio.current_task())

        handler: grpc.RpcMethodHandler[Any, bytes] = grpc.stream_stream_rpc_method_handler(
            serve_stream
        )
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(_SERVICE, {"Play": handler}),)
        )
        port = server.add_insecure_port(address)
        await server.start()
        open_socket(address)
        with only_warnings():
            try:
                yield address if address.startswith("unix:") else f"127.0.0.1:{port}"
            finally:
                lobby.close_all(_over)
                await server.stop(grace=0.2)
                # `stop` does not wait for a stream's last steps, such as a line in the log.
                await asyncio.gather(*filter(None, streams), return_exceptions=True)


@contextmanager
def only_warnings() -> Iterator[None]:
    """Limit the referee's log to its own warnings and errors, on stderr.

    For several referees at a time, use it once around all of them.
    """
    before = structlog.get_config()
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    try:
        yield
    finally:
        structlog.configure(**before)


def _over() -> ProtocolError:
    return ProtocolError(grpc.StatusCode.UNAVAILABLE, "all matches are played")
