"""`RegistryService`: the unary calls about bots and results."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Protocol

import grpc
import grpc.aio

from arena.codec.checks import read_outcome
from arena.codec.malformed import MalformedError
from arena.codec.mirrored import message_of
from arena.records import CheckOrigin, CheckOutcome, Owner, Registered, VersionId
from arena.server.accounts.owner_calls import OwnerCalls, OwnerKeys
from arena.server.accounts.registration import Registration
from arena.server.limits.gate import Gate
from arena.server.limits.guarding import bearer_token, guarded
from arena.server.limits.refusals import Context
from arena.server.reading.reading_queue import ReadingQueue
from arena.server.requests.errors import malformed
from arena.v1 import registry_pb2, transcript_pb2

READING_CALLS = ("ListBots", "GetLeaderboard", "ListMatches", "GetTranscript")
"""The calls that wait in the reading queue."""


class RegistrantTokens(OwnerKeys, Protocol):
    """Looks up the tokens of bots and the keys of owners."""

    async def authenticate(self, token: str) -> Registered:
        """Return the version that has this token. Raises ProtocolError."""
        ...

    async def registrant(self, token: str) -> Registered | Owner:
        """Return the owner who has this key, or the version that has this token.

        Raises ProtocolError.
        """
        ...


RecordCheck = Callable[[VersionId, CheckOrigin, CheckOutcome], Awaitable[None]]
"""Records the outcome of a check of a version. Raises StorageError."""


class RegistryService:
    """Serves the proto's RegistryService."""

    def __init__(
        self,
        tokens: RegistrantTokens,
        registration: Registration,
        record_check: RecordCheck,
        signing_key: bytes,
        reading: ReadingQueue,
        gate: Gate,
    ) -> None:
        """`signing_key` is the public key of the transcripts' signatures."""
        self._tokens = tokens
        self._registration = registration
        self._record_check = record_check
        self._signing_key = signing_key
        self._reading = reading
        self._gate = gate
        self._calls = OwnerCalls(tokens, gate, registry_pb2)

    @property
    def handlers(self) -> "dict[str, grpc.RpcMethodHandler[Any, Any]]":
        """The calls by name, for the server. Reading calls are passed on as bytes."""
        of_anybody = self._calls.of_anybody
        return {
            "RegisterBot": of_anybody("RegisterBot", self._register_bot),
            "GetSigningKey": of_anybody("GetSigningKey", self._get_signing_key),
            "ReportCheck": of_anybody("ReportCheck", self._report_check),
        } | {
            call: grpc.unary_unary_rpc_method_handler(partial(self._read, call))
            for call in READING_CALLS
        }

    async def _register_bot(
        self, request: registry_pb2.RegisterBotRequest, context: Context
    ) -> registry_pb2.RegisterBotResponse:
        given, peer = bearer_token(context), self._gate.caller(context)
        async with self._gate.trying(given, peer):
            registrant = await self._tokens.registrant(given)
        self._gate.registration(registrant)
        entrant, token = await self._registration.register(
            registrant, request.bot, request.owner, request.version or "1"
        )
        self._gate.learn(token)
        registered = message_of(transcript_pb2.Entrant, entrant)
        return registry_pb2.RegisterBotResponse(token=token, entrant=registered)

    async def _report_check(
        self, request: registry_pb2.ReportCheckRequest, context: Context
    ) -> registry_pb2.ReportCheckResponse:
        token, peer = bearer_token(context), self._gate.caller(context)
        async with self._gate.trying(token, peer):
            registered = await self._tokens.authenticate(token)
        try:
            outcome = read_outcome(request.outcome)
        except MalformedError as error:
            raise malformed(str(error)) from error
        await self._record_check(registered.version_id, CheckOrigin.AUTHOR, outcome)
        checked = message_of(transcript_pb2.Entrant, registered.entrant)
        return registry_pb2.ReportCheckResponse(entrant=checked)

    async def _read(self, call: str, request: bytes, context: Context) -> bytes:
        """Answer one of READING_CALLS, from bytes to bytes."""
        return await guarded(
            self._gate,
            call,
            context,
            lambda: self._reading.answer(call, request, self._gate.caller(context)),
        )

    async def _get_signing_key(
        self, _request: registry_pb2.GetSigningKeyRequest, _context: Context
    ) -> registry_pb2.GetSigningKeyResponse:
        return registry_pb2.GetSigningKeyResponse(key=self._signing_key)
