"""`RegistryService`: the unary calls about bots and results."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Protocol, TypeVar

import grpc
import grpc.aio

from arena.codec.checks import read_outcome
from arena.codec.malformed import MalformedError
from arena.codec.transcript import write_entrant
from arena.match.transcript import Entrant
from arena.records import CheckOutcome, Owner, Registered
from arena.server.limits.gate import Authenticator, Gate
from arena.server.limits.guarding import bearer_token, guarded, token_or_nothing
from arena.server.limits.reading_queue import ReadingQueue
from arena.server.limits.refusals import Context
from arena.server.requests.errors import malformed
from arena.v1 import registry_pb2

MOST_AT_ONCE = 4
"""The largest number of calls served at the same time.

Recording results uses the same database connections.
"""
READING_CALLS = ("ListBots", "GetLeaderboard", "ListMatches", "GetTranscript")
"""The calls that wait in the reading queue."""


class Registry(Authenticator, Protocol):
    """The registry as the calls use it.

    Every method raises ProtocolError for a request that it refuses.
    """

    @property
    def signing_key(self) -> bytes:
        """The public key of the transcripts' signatures."""
        ...

    async def registrant(self, token: str) -> Registered | Owner:
        """Return the owner who has this key, or the bot version that has this token."""
        ...

    async def register(
        self, registrant: Registered | Owner, bot: str, owner: str, version: str
    ) -> tuple[Entrant, str]:
        """Register a version of the registrant's bot, or a new bot of an owner.

        Returns the version and its token.
        """
        ...

    async def record_check(self, registered: Registered, outcome: CheckOutcome) -> None:
        """Record the result of an author's check of a version."""
        ...


RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")


def _guarded(
    call: Callable[["RegistryService", RequestT, Context], Awaitable[ResponseT]],
) -> Callable[["RegistryService", RequestT, Context], Awaitable[ResponseT]]:
    """Pass a call through `guarded`, with at most MOST_AT_ONCE at a time."""

    async def handle(self: "RegistryService", request: RequestT, context: Context) -> ResponseT:
        token = token_or_nothing(context)
        return await guarded(
            self.gate,
            call.__name__,
            context,
            lambda: call(self, request, context),
            token,
            self.turnstile,
        )

    return handle


class RegistryService:
    """The implementation of the proto's RegistryService."""

    def __init__(self, registry: Registry, reading: ReadingQueue, gate: Gate) -> None:
        self._registry = registry
        self._reading = reading
        self.gate = gate
        self.turnstile = asyncio.Semaphore(MOST_AT_ONCE)

    @_guarded
    async def register_bot(
        self, request: registry_pb2.RegisterBotRequest, context: Context
    ) -> registry_pb2.RegisterBotResponse:
        """Register a version of a bot, and answer with its token."""
        given, peer = bearer_token(context), self.gate.caller(context)
        async with self.gate.trying(given, peer):
            registrant = await self._registry.registrant(given)
        self.gate.registration(registrant)
        entrant, token = await self._registry.register(
            registrant, request.bot, request.owner, request.version or "1"
        )
        self.gate.learn(token)
        response = registry_pb2.RegisterBotResponse(token=token)
        write_entrant(entrant, response.entrant)
        return response

    @_guarded
    async def report_check(
        self, request: registry_pb2.ReportCheckRequest, context: Context
    ) -> registry_pb2.ReportCheckResponse:
        """Record an author's check of the version whose token the call carries."""
        token, peer = bearer_token(context), self.gate.caller(context)
        async with self.gate.trying(token, peer):
            registered = await self._registry.authenticate(token)
        try:
            outcome = read_outcome(request.outcome)
        except MalformedError as error:
            raise malformed(str(error)) from error
        await self._registry.record_check(registered, outcome)
        response = registry_pb2.ReportCheckResponse()
        write_entrant(registered.entrant, response.entrant)
        return response

    @property
    def handlers(self) -> "dict[str, grpc.RpcMethodHandler[Any, Any]]":
        """The calls by name, for the server. Reading calls are passed on as bytes."""
        handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
            call: grpc.unary_unary_rpc_method_handler(partial(self.read, call))
            for call in READING_CALLS
        }
        for call, method in (
            ("RegisterBot", self.register_bot),
            ("GetSigningKey", self.get_signing_key),
            ("ReportCheck", self.report_check),
        ):
            request = getattr(registry_pb2, f"{call}Request")
            response = getattr(registry_pb2, f"{call}Response")
            handlers[call] = grpc.unary_unary_rpc_method_handler(
                method,
                request_deserializer=request.FromString,
                response_serializer=response.SerializeToString,
            )
        return handlers

    async def read(self, call: str, request: bytes, context: Context) -> bytes:
        """Answer one of READING_CALLS, from request bytes to response bytes."""
        return await guarded(
            self.gate,
            call,
            context,
            lambda: self._reading.answer(call, request, self.gate.caller(context)),
        )

    @_guarded
    async def get_signing_key(
        self, _request: registry_pb2.GetSigningKeyRequest, _context: Context
    ) -> registry_pb2.GetSigningKeyResponse:
        """Answer with the public key of the transcripts' signatures."""
        return registry_pb2.GetSigningKeyResponse(key=self._registry.signing_key)
