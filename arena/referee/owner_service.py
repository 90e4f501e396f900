"""`OwnerService`: the unary calls by which owners sign up and look after their bots."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, Literal, Protocol

import grpc
import grpc.aio

from arena.records import Allowance, OwnedVersion, Owner, SignUp, VersionId
from arena.referee.errors import ProtocolError
from arena.referee.gate import Gate
from arena.referee.guarding import guarded
from arena.referee.play_service import bearer_token
from arena.referee.refusals import Context
from arena.v1 import owner_pb2 as pb

MOST_AT_ONCE: Final = 4
"""Calls served at the same time: results are recorded over the same database connections."""
_SIGN_UP: Final = {
    SignUp.OPEN: pb.SIGN_UP_OPEN,
    SignUp.INVITE: pb.SIGN_UP_INVITE,
    SignUp.CLOSED: pb.SIGN_UP_CLOSED,
}


class OwnerRegistry(Protocol):
    """What the calls need. Every method raises ProtocolError for a request that it refuses."""

    @property
    def sign_up_by(self) -> SignUp:
        """Who may sign up."""
        ...

    @property
    def allowance(self) -> Allowance:
        """What an owner may register."""
        ...

    async def sign_up(self, name: str, invite: str) -> tuple[Owner, str]:
        """A new owner, and the key."""
        ...

    async def owner(self, key: str) -> Owner:
        """Who has this key."""
        ...

    async def own_bots(self, owner: Owner, bot: str) -> list[OwnedVersion]:
        """The versions of the owner's bots, by bot and newest first; of one bot, or of all for
        ""."""
        ...

    async def describe(self, owner: Owner, bot: str, said: dict[str, str]) -> None:
        """Change what the owner says of a bot: text, language and link, as far as given."""
        ...

    async def rotate(self, owner: Owner, bot: str, version: str) -> tuple[str, str]:
        """A new token for a version, and the version's label."""
        ...

    async def retire(self, owner: Owner, bot: str, version: str) -> None:
        """Retire a version, or the whole bot for ""."""
        ...


Presence = Callable[[VersionId], tuple[int, int]]
"""How many streams of a version are open, and in how many matches it has a seat."""


class OwnerService:
    """Serves the proto's OwnerService."""

    def __init__(self, registry: OwnerRegistry, gate: Gate, presence: Presence) -> None:
        self._registry = registry
        self._gate = gate
        self._presence = presence
        self._turnstile = asyncio.Semaphore(MOST_AT_ONCE)

    @property
    def handlers(self) -> "dict[str, grpc.RpcMethodHandler[Any, Any]]":
        """The calls by name, for the server."""
        return {
            "GetSignUpTerms": self._handler("GetSignUpTerms", self._terms),
            "SignUp": self._handler("SignUp", self._sign_up),
            "GetOwner": self._handler("GetOwner", self._of_owner(self._owner)),
            "ListOwnBots": self._handler("ListOwnBots", self._of_owner(self._bots)),
            "DescribeBot": self._handler("DescribeBot", self._of_owner(self._describe)),
            "RotateToken": self._handler("RotateToken", self._of_owner(self._rotate)),
            "RetireBot": self._handler("RetireBot", self._of_owner(self._retire)),
        }

    def _handler(
        self, call: str, answer: Callable[[Any, Context], Awaitable[Any]]
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        async def handle(request: Any, context: Context) -> Any:
            async def in_turn() -> Any:
                async with self._turnstile:
                    return await answer(request, context)

            return await guarded(self._gate, call, context, in_turn, _key_or_nothing(context))

        return grpc.unary_unary_rpc_method_handler(
            handle,
            request_deserializer=getattr(pb, f"{call}Request").FromString,
            response_serializer=getattr(pb, f"{call}Response").SerializeToString,
        )

    def _of_owner(
        self, answer: Callable[[Any, Owner], Awaitable[Any]]
    ) -> Callable[[Any, Context], Awaitable[Any]]:
        """The answer to a call that needs an owner's key."""

        async def authenticated(request: Any, context: Context) -> Any:
            key = bearer_token(context)
            async with self._gate.trying(key, context.peer()):
                owner = await self._registry.owner(key)
            return await answer(request, owner)

        return authenticated

    async def _terms(self, _request: Any, _context: Context) -> pb.GetSignUpTermsResponse:
        allowed = self._registry.allowance
        return pb.GetSignUpTermsResponse(
            sign_up=_SIGN_UP[self._registry.sign_up_by],
            bots=allowed.bots,
            bot_versions_a_day=allowed.bot_versions_a_day,
            owner_versions_a_day=allowed.owner_versions_a_day,
        )

    async def _sign_up(self, request: pb.SignUpRequest, context: Context) -> pb.SignUpResponse:
        peer = context.peer()
        with self._gate.signing_up(peer):
            if self._registry.sign_up_by is SignUp.INVITE:
                # An invite that nobody made counts as a wrong key.
                async with self._gate.trying(request.invite, peer):
                    owner, key = await self._registry.sign_up(request.name, request.invite)
            else:
                owner, key = await self._registry.sign_up(request.name, "")
        self._gate.learn(key)
        return pb.SignUpResponse(owner=owner.name, key=key)

    async def _owner(self, _request: Any, owner: Owner) -> pb.GetOwnerResponse:
        return pb.GetOwnerResponse(owner=owner.name)

    async def _bots(self, request: pb.ListOwnBotsRequest, owner: Owner) -> pb.ListOwnBotsResponse:
        response = pb.ListOwnBotsResponse()
        for one in await self._registry.own_bots(owner, request.bot):
            if not response.bots or response.bots[-1].name != one.bot:
                response.bots.add(
                    name=one.bot,
                    text=one.text,
                    language=one.language,
                    link=one.link,
                    frozen=one.frozen_at is not None,
                )
            streams, seats = self._presence(one.id)
            response.bots[-1].versions.add(
                label=one.version,
                registered_ms=round(one.created_at.timestamp() * 1000),
                retired=one.retired_at is not None,
                matches=one.matches,
                faults=one.faults,
                connected=streams,
                playing=seats,
            )
        return response

    async def _describe(
        self, request: pb.DescribeBotRequest, owner: Owner
    ) -> pb.DescribeBotResponse:
        fields: tuple[Literal["text", "language", "link"], ...] = ("text", "language", "link")
        said: dict[str, str] = {
            field: getattr(request, field) for field in fields if request.HasField(field)
        }
        self._gate.change(owner)
        await self._registry.describe(owner, request.bot, said)
        return pb.DescribeBotResponse()

    async def _rotate(self, request: pb.RotateTokenRequest, owner: Owner) -> pb.RotateTokenResponse:
        self._gate.change(owner)
        token, label = await self._registry.rotate(owner, request.bot, request.version)
        self._gate.learn(token)
        return pb.RotateTokenResponse(version=label, token=token)

    async def _retire(self, request: pb.RetireBotRequest, owner: Owner) -> pb.RetireBotResponse:
        self._gate.change(owner)
        await self._registry.retire(owner, request.bot, request.version)
        return pb.RetireBotResponse()


def _key_or_nothing(context: Context) -> str:
    try:
        return bearer_token(context)
    except ProtocolError:
        return ""
