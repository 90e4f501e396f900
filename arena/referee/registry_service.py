"""`RegistryService`: the unary calls about bots and results."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar

import grpc
import grpc.aio
import structlog

from arena.codec.transcript import to_message, write_entrant
from arena.match.transcript import Entrant, Transcript
from arena.referee.errors import ProtocolError
from arena.referee.gate import Gate
from arena.referee.play_service import bearer_token
from arena.referee.refusals import Context
from arena.v1 import registry_pb2, registry_pb2_grpc

DEFAULT_MATCHES = 50
MOST_MATCHES = 1_000
MOST_AT_ONCE = 4
"""Calls served at the same time: results are recorded over the same database connections."""

_REFUSALS = (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAUTHENTICATED)
"""What the operator may want to know of: guests that try too much."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ListedBot:
    """One version of a bot."""

    entrant: Entrant
    house: bool
    retired: bool
    matches: int


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """A finished match in a list."""

    match_id: str
    game: str
    entrants: tuple[Entrant, ...]
    placing: tuple[int, ...]
    finished_at: datetime


class ListedLuck(Protocol):
    """A rating with the luck of the draws taken out, given in addition to the official one."""

    @property
    def elo(self) -> float: ...
    @property
    def interval(self) -> tuple[float, float]: ...
    @property
    def variance_factor(self) -> float | None: ...


@dataclass(frozen=True, slots=True)
class ListedRating:
    """One line of a leaderboard."""

    entrant: Entrant
    house: bool
    elo: float
    matches: int
    mean_placing: float
    win_share: float
    interval: tuple[float, float]
    """95 % confidence interval, in Elo."""
    luck_adjusted: ListedLuck | None
    """None on a ladder where too little luck was measured."""


class Registry(Protocol):
    """What the calls need. Every method raises ProtocolError for a request that it refuses."""

    @property
    def signing_key(self) -> bytes:
        """The public key of the transcripts' signatures."""
        ...

    async def register(
        self, token: str, bot: str, owner: str, version: str
    ) -> tuple[Entrant, str]: ...
    async def bots(self) -> Sequence[ListedBot]: ...
    async def leaderboard(
        self, game: str, seats: int, options: Mapping[str, object]
    ) -> tuple[int, Sequence[ListedRating]]: ...
    async def matches(self, bot: str, game: str, limit: int) -> Sequence[ListedMatch]: ...
    async def transcript(self, match_id: str) -> Transcript: ...


RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")


def _guarded(
    call: Callable[["RegistryService", RequestT, Context], Awaitable[ResponseT]],
) -> Callable[["RegistryService", RequestT, Context], Awaitable[ResponseT]]:
    """Turns our errors into statuses; unexpected exceptions are logged and not sent."""

    async def guarded(self: "RegistryService", request: RequestT, context: Context) -> ResponseT:
        try:
            self.gate.call(context.peer())
            async with self.turnstile:
                return await call(self, request, context)
        except ProtocolError as error:
            ending = error
            if error.code in _REFUSALS:
                self.gate.refusals.note("call refused", error)
        except Exception:
            log.exception("call failed", call=call.__name__)
            ending = ProtocolError(grpc.StatusCode.INTERNAL, "the arena made a mistake")
        await self.gate.refusals.end(context, ending)
        raise ending  # the call has ended already; this tells the type checker

    return guarded


class RegistryService(registry_pb2_grpc.RegistryServiceServicer):
    """Serves the proto's RegistryService."""

    def __init__(self, registry: Registry, gate: Gate) -> None:
        self._registry = registry
        self.gate = gate
        self.turnstile = asyncio.Semaphore(MOST_AT_ONCE)

    @_guarded
    async def RegisterBot(  # noqa: N802 (the proto's name)
        self, request: registry_pb2.RegisterBotRequest, context: Context
    ) -> registry_pb2.RegisterBotResponse:
        given, peer = bearer_token(context), context.peer()
        async with self.gate.trying(given, peer):
            self.gate.registration(peer)
            entrant, token = await self._registry.register(
                given, request.bot, request.owner, request.version or "1"
            )
        response = registry_pb2.RegisterBotResponse(token=token)
        write_entrant(entrant, response.entrant)
        return response

    @_guarded
    async def ListBots(  # noqa: N802
        self, _request: registry_pb2.ListBotsRequest, _context: Context
    ) -> registry_pb2.ListBotsResponse:
        response = registry_pb2.ListBotsResponse()
        for bot in await self._registry.bots():
            line = response.versions.add(house=bot.house, retired=bot.retired, matches=bot.matches)
            write_entrant(bot.entrant, line.entrant)
        return response

    @_guarded
    async def GetLeaderboard(  # noqa: N802
        self, request: registry_pb2.GetLeaderboardRequest, _context: Context
    ) -> registry_pb2.GetLeaderboardResponse:
        seats, ratings = await self._registry.leaderboard(
            request.game, request.seats, _options(request.options_json)
        )
        response = registry_pb2.GetLeaderboardResponse(seats=seats)
        for rating in ratings:
            line = response.ratings.add(
                elo=rating.elo,
                matches=rating.matches,
                mean_placing=rating.mean_placing,
                win_share=rating.win_share,
                house=rating.house,
                elo_low=rating.interval[0],
                elo_high=rating.interval[1],
            )
            write_entrant(rating.entrant, line.entrant)
            adjusted = rating.luck_adjusted
            if adjusted is not None:
                line.luck_adjusted.elo = adjusted.elo
                line.luck_adjusted.elo_low, line.luck_adjusted.elo_high = adjusted.interval
                if adjusted.variance_factor is not None:
                    line.luck_adjusted.variance_factor = adjusted.variance_factor
        return response

    @_guarded
    async def ListMatches(  # noqa: N802
        self, request: registry_pb2.ListMatchesRequest, _context: Context
    ) -> registry_pb2.ListMatchesResponse:
        limit = request.limit or DEFAULT_MATCHES
        if not 1 <= limit <= MOST_MATCHES:
            raise ProtocolError(
                grpc.StatusCode.INVALID_ARGUMENT, f"`limit` is 1 to {MOST_MATCHES}, not {limit}"
            )
        response = registry_pb2.ListMatchesResponse()
        for match in await self._registry.matches(request.bot, request.game, limit):
            line = response.matches.add(
                match_id=match.match_id,
                game=match.game,
                placing=match.placing,
                finished_ms=int(match.finished_at.timestamp() * 1000),
            )
            for entrant in match.entrants:
                write_entrant(entrant, line.entrants.add())
        return response

    @_guarded
    async def GetTranscript(  # noqa: N802
        self, request: registry_pb2.GetTranscriptRequest, _context: Context
    ) -> registry_pb2.GetTranscriptResponse:
        transcript = await self._registry.transcript(request.match_id)
        return registry_pb2.GetTranscriptResponse(transcript=to_message(transcript))

    @_guarded
    async def GetSigningKey(  # noqa: N802
        self, _request: registry_pb2.GetSigningKeyRequest, _context: Context
    ) -> registry_pb2.GetSigningKeyResponse:
        return registry_pb2.GetSigningKeyResponse(key=self._registry.signing_key)


def _options(text: str) -> Mapping[str, Any]:
    try:
        options = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise ProtocolError(
            grpc.StatusCode.INVALID_ARGUMENT, f"`options_json` is not JSON: {error}"
        ) from error
    if not isinstance(options, dict):
        raise ProtocolError(
            grpc.StatusCode.INVALID_ARGUMENT, "`options_json` must be a JSON object"
        )
    return options
