"""`SpectatorService`: streams of running matches, and how busy the referee is."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import grpc
import grpc.aio

from arena.database.names import folded
from arena.games import OptionsError, UnknownGameError, make_game
from arena.match.match_id import is_match_id
from arena.server.limits.forwarding import DASHBOARD
from arena.server.limits.gate import Gate
from arena.server.limits.guarding import ended_by_errors, guarded
from arena.server.limits.limits import LimitError
from arena.server.limits.peers import address_of
from arena.server.limits.refusals import Context
from arena.server.play.ports import ShowableMatch, Timer
from arena.server.requests.errors import ProtocolError, malformed
from arena.server.requests.options_json import read_options
from arena.server.requests.parsing import parsed
from arena.server.watching.spectators import Fits, Spectator, Spectators
from arena.v1 import spectator_pb2

MOST_MATCHES: Final = 1_000
"""The most matches that one spectator is shown at the same time."""
GATHER_SECONDS: Final = 0.02
"""How long moments are gathered for one message: it costs as much as a dozen of them."""
RETRY_SECONDS: Final = 10.0
"""The pause before a spectator that found no place may try again."""


class SpectatorService:
    """Serves the proto's SpectatorService."""

    def __init__(
        self,
        spectators: Spectators,
        gate: Gate,
        timer: Timer,
        activity: Callable[[], Awaitable[spectator_pb2.GetActivityResponse]],
    ) -> None:
        """`activity` returns how busy the arena is, without the delay of spectators."""
        self._spectators = spectators
        self._gate = gate
        self._timer = timer
        self._activity = activity
        self._by_address: Counter[str] = Counter()
        self._endings: set[asyncio.Future[ProtocolError | None]] = set()

    @property
    def handlers(self) -> "dict[str, grpc.RpcMethodHandler[Any, Any]]":
        """The calls by name, for the server."""
        activity: grpc.RpcMethodHandler[Any, Any] = grpc.unary_unary_rpc_method_handler(
            self.get_activity,
            request_deserializer=spectator_pb2.GetActivityRequest.FromString,
            response_serializer=spectator_pb2.GetActivityResponse.SerializeToString,
        )
        # Bytes on both sides: malformed requests must end the call with our message.
        watch: grpc.RpcMethodHandler[Any, Any] = grpc.unary_stream_rpc_method_handler(self.watch)
        return {"GetActivity": activity, "Watch": watch}

    def close_all(self, reason: Callable[[], ProtocolError]) -> None:
        """End all streams of spectators."""
        for ending in self._endings:
            if not ending.done():
                ending.set_result(reason())

    async def get_activity(
        self, _request: spectator_pb2.GetActivityRequest, context: Context
    ) -> spectator_pb2.GetActivityResponse:
        """Answer GetActivity."""

        async def answer() -> spectator_pb2.GetActivityResponse:
            now = await self._activity()
            now.watch_delay_ms = self._delay_ms
            return now

        return await guarded(self._gate, "GetActivity", context, answer)

    async def watch(self, data: bytes, context: Context) -> None:
        """Handle one stream of a spectator, from its opening to its end."""
        async with ended_by_errors(self._gate, context, "Watch"):
            with self._gate.calling(context) as peer:
                self._gate.call(peer)
                request = parsed(spectator_pb2.WatchRequest, data)
                fits, most = wanted(request), _most(request)
                wait = self._spectators.overdrawn_seconds
                if wait:
                    raise LimitError("watching", "spectator limit reached", wait)
                with self._place(address_of(peer)):
                    # As in `PlayStream`: a write that is cancelled must not be the first.
                    with suppress(grpc.aio.InternalError):
                        await context.send_initial_metadata(())
                    await self._show(fits, most, request.match_id, context)

    @property
    def _delay_ms(self) -> int:
        return int(self._spectators.delay_seconds * 1000)

    @contextmanager
    def _place(self, address: str) -> Iterator[None]:
        limits = self._gate.limits
        # A dashboard shows one stream to many people, so strangers cannot take its places.
        own = address == DASHBOARD
        others = self._by_address.total() - self._by_address[DASHBOARD]
        if self._by_address[address] >= limits.watching_an_address or (
            not own and others >= limits.watching
        ):
            raise LimitError("watching", "too many spectators", RETRY_SECONDS)
        self._by_address[address] += 1
        try:
            yield
        finally:
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]

    async def _show(self, fits: Fits, most: int, match_id: str, context: Context) -> None:
        filled = asyncio.Event()
        ending: asyncio.Future[ProtocolError | None] = asyncio.get_running_loop().create_future()

        def overflow() -> None:
            if not ending.done():
                ending.set_result(_too_slow())

        spectator = Spectator(fits, most, filled.set, overflow, self._gate.limits.watching_waits)
        self._endings.add(ending)
        try:
            if not self._spectators.enter(spectator) and match_id:
                raise ProtocolError(
                    grpc.StatusCode.NOT_FOUND, f"match {match_id} is not being played"
                )
            writer = asyncio.ensure_future(
                self._write(spectator, filled, context, until_over=bool(match_id))
            )
            try:
                await asyncio.wait((writer, ending), return_when=asyncio.FIRST_COMPLETED)
            finally:
                writer.cancel()
            if ending.done():
                error = ending.result()
                if error is not None:
                    raise error
            elif not writer.cancelled() and (failed := writer.exception()) is not None:
                raise failed
        finally:
            self._endings.discard(ending)
            self._spectators.leave(spectator)

    async def _write(
        self, spectator: Spectator, filled: asyncio.Event, context: Context, *, until_over: bool
    ) -> None:
        """Send each part when it is due."""
        message = spectator_pb2.WatchResponse(delay_ms=self._delay_ms).SerializeToString()
        try:
            await context.write(message)
            while True:
                due = spectator.next_due
                if due is None:
                    if until_over and not spectator.shown:
                        return
                    filled.clear()
                    await filled.wait()
                    continue
                await asyncio.sleep(max(due - self._timer.now(), GATHER_SECONDS))
                message = spectator.take(self._timer.now())
                if message:
                    await context.write(message)
        except grpc.aio.InternalError:
            return  # the spectator is gone; grpc is about to cancel the call


def wanted(request: spectator_pb2.WatchRequest) -> Fits:
    """Return the filter for the matches that a request asks for. Raises ProtocolError."""
    match_id, bot = request.match_id.lower(), folded(request.bot)
    tournament, seats = request.tournament.lower(), request.seats
    if match_id and not is_match_id(match_id):
        raise malformed("`match_id` is not a UUID")
    if seats < 0:
        raise malformed(f"`seats` is a number of seats, or 0 for any, not {seats}")
    options = None
    if request.options_json and not request.game:
        raise malformed("`options_json` needs `game`")
    if request.game:
        try:
            rules = make_game(request.game, read_options(request.options_json))
        except (UnknownGameError, OptionsError) as error:
            raise malformed(str(error)) from error
        options = rules.options if request.options_json else None

    def fits(match: ShowableMatch, its_tournament: str) -> bool:
        setup = match.setup
        return (
            (not match_id or setup.match_id == match_id)
            and (not request.game or setup.game == request.game)
            and (not seats or len(setup.entrants) == seats)
            and (options is None or setup.options == options)
            and (not tournament or its_tournament.lower() == tournament)
            and (not bot or any(folded(one.bot) == bot for one in setup.entrants))
        )

    return fits


def _most(request: spectator_pb2.WatchRequest) -> int:
    if not 0 <= request.max_matches <= MOST_MATCHES:
        raise malformed(f"`max_matches` is 1 to {MOST_MATCHES}, not {request.max_matches}")
    return request.max_matches or MOST_MATCHES


def _too_slow() -> ProtocolError:
    return ProtocolError(
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "too much waits for this spectator: read faster, or ask for fewer matches at once",
    )
