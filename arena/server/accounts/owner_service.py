"""`OwnerService`, the unary calls by which owners sign up and manage their bots."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, Literal, Protocol

import grpc
import grpc.aio

from arena.records import Allowance, Identity, OwnBots, OwnedVersion, Owner, SignUp, VersionId
from arena.server.accounts.owner_calls import OwnerCalls, OwnerKeys
from arena.server.limits.gate import Gate
from arena.server.limits.guarding import bearer_token
from arena.server.limits.refusals import Context
from arena.server.requests.errors import ProtocolError
from arena.server.requests.paging import page_number, page_size
from arena.v1 import owner_pb2 as pb

_SIGN_UP: Final = {
    SignUp.OPEN: pb.SIGN_UP_OPEN,
    SignUp.INVITE: pb.SIGN_UP_INVITE,
    SignUp.CLOSED: pb.SIGN_UP_CLOSED,
}


class OwnerRegistry(OwnerKeys, Protocol):
    """The operations that the calls need.

    Every method raises ProtocolError for a request that it refuses.
    """

    @property
    def sign_up_by(self) -> SignUp:
        """The condition for signing up."""
        ...

    @property
    def allowance(self) -> Allowance:
        """The limits of what an owner may register."""
        ...

    async def sign_up(self, name: str, invite: str) -> tuple[Owner, str]:
        """Add an owner; return it and its key."""
        ...

    @property
    def identity_issuer(self) -> str:
        """The issuer of the identity provider; "" if there is none."""
        ...

    async def identity(self, id_token: str) -> Identity:
        """Return the identity that an ID token proves."""
        ...

    async def sign_in(self, identity: Identity) -> tuple[Owner, str] | None:
        """Return the owner who has an identity, and a key for this sign-in; None without one."""
        ...

    async def sign_up_as(self, identity: Identity, name: str, invite: str) -> tuple[Owner, str]:
        """Add an owner who has an identity; return it and a key for this sign-in."""
        ...

    async def bind(self, identity: Identity, key: str) -> tuple[Owner, str]:
        """Give an identity to the owner who has a key; return it and a key for this sign-in."""
        ...

    async def stay_signed_in(self, owner: Owner) -> str:
        """Return a key for a new sign-in of an owner."""
        ...

    async def sign_out(self, key: str) -> None:
        """End the sign-in that has this key, if the key is of a sign-in."""
        ...

    async def renew_key(self, owner: Owner) -> str:
        """Return a new key of an owner, whose other keys end."""
        ...

    async def own_bots(self, owner: Owner, wanted: OwnBots) -> list[OwnedVersion]:
        """Return versions of the owner's bots, by bot and newest first."""
        ...

    async def describe(self, owner: Owner, bot: str, said: dict[str, str]) -> None:
        """Change the owner's details of a bot: text, language and link, as far as given."""
        ...

    async def pause(self, owner: Owner, bot: str, *, paused: bool) -> None:
        """Pause a bot of the owner, or let it play again."""
        ...

    async def rotate(self, owner: Owner, bot: str, version: str) -> tuple[str, str]:
        """Return a new token for a version, and the version's label."""
        ...

    async def retire(self, owner: Owner, bot: str, version: str) -> None:
        """Retire a version, or the whole bot for ""."""
        ...


CountCopies = Callable[[Collection[VersionId]], Awaitable[Mapping[VersionId, tuple[int, int]]]]
"""A function that counts the connected copies of the given versions that have any.

It returns, by version, how many copies are connected to any referee, and in how many matches they
have a seat. Raises StorageError.
"""


class OwnerService:
    """The implementation of the proto's OwnerService."""

    def __init__(self, registry: OwnerRegistry, gate: Gate, count_copies: CountCopies) -> None:
        self._registry = registry
        self._gate = gate
        self._count_copies = count_copies
        self._calls = OwnerCalls(registry, gate, pb)

    @property
    def handlers(self) -> "dict[str, grpc.RpcMethodHandler[Any, Any]]":
        """The handlers of the calls by name, for the server."""
        of_anybody, of_owner = self._calls.of_anybody, self._calls.of_owner
        return {
            "GetSignUpTerms": of_anybody("GetSignUpTerms", self._terms),
            "SignUp": of_anybody("SignUp", self._sign_up),
            "SignIn": of_anybody("SignIn", self._sign_in),
            "StaySignedIn": of_owner("StaySignedIn", self._stay_signed_in),
            "SignOut": of_anybody("SignOut", self._sign_out),
            "RenewKey": of_owner("RenewKey", self._renew_key),
            "GetOwner": of_owner("GetOwner", self._owner),
            "ListOwnBots": of_owner("ListOwnBots", self._bots),
            "DescribeBot": of_owner("DescribeBot", self._describe),
            "PauseBot": of_owner("PauseBot", self._pause),
            "RotateToken": of_owner("RotateToken", self._rotate),
            "RetireBot": of_owner("RetireBot", self._retire),
        }

    async def _terms(self, _request: Any, _context: Context) -> pb.GetSignUpTermsResponse:
        allowed = self._registry.allowance
        return pb.GetSignUpTermsResponse(
            sign_up=_SIGN_UP[self._registry.sign_up_by],
            bots=allowed.bots,
            bot_versions_a_day=allowed.bot_versions_a_day,
            owner_versions_a_day=allowed.owner_versions_a_day,
            identity_issuer=self._registry.identity_issuer,
        )

    async def _sign_up(self, request: pb.SignUpRequest, context: Context) -> pb.SignUpResponse:
        peer = self._gate.caller(context)
        async with self._signing_up(peer, request.invite):
            owner, key = await self._registry.sign_up(request.name, request.invite)
        self._gate.learn(key)
        return pb.SignUpResponse(owner=owner.name, key=key)

    async def _sign_in(self, request: pb.SignInRequest, context: Context) -> pb.SignInResponse:
        peer = self._gate.caller(context)
        # An invalid token counts as a wrong key.
        async with self._gate.trying(request.id_token, peer):
            identity = await self._registry.identity(request.id_token)
            found = await self._registry.sign_in(identity)
        if found is None and request.key:
            async with self._gate.trying(request.key, peer):
                found = await self._registry.bind(identity, request.key)
        elif found is None and request.name:
            async with self._signing_up(peer, request.invite):
                found = await self._registry.sign_up_as(identity, request.name, request.invite)
        if found is None:
            return pb.SignInResponse(suggested_name=identity.suggested_name)
        owner, key = found
        self._gate.learn(key)
        return pb.SignInResponse(owner=owner.name, key=key)

    @asynccontextmanager
    async def _signing_up(self, peer: str, invite: str) -> AsyncIterator[None]:
        """Run the block in which a caller becomes an owner, under the limits of sign-ups."""
        with self._gate.signing_up(peer):
            if self._registry.sign_up_by is not SignUp.INVITE:
                yield
                return
            # An unknown invite counts as a wrong key.
            async with self._gate.trying(invite, peer):
                yield

    async def _stay_signed_in(self, _request: Any, owner: Owner) -> pb.StaySignedInResponse:
        self._gate.change(owner)
        key = await self._registry.stay_signed_in(owner)
        self._gate.learn(key)
        return pb.StaySignedInResponse(key=key)

    async def _sign_out(self, _request: Any, context: Context) -> pb.SignOutResponse:
        try:
            await self._calls.owner(context)
        except ProtocolError as error:
            # An owner who is banned may sign out, too.
            if error.code is not grpc.StatusCode.PERMISSION_DENIED:
                raise
        await self._registry.sign_out(bearer_token(context))
        return pb.SignOutResponse()

    async def _renew_key(self, _request: Any, owner: Owner) -> pb.RenewKeyResponse:
        self._gate.change(owner)
        key = await self._registry.renew_key(owner)
        self._gate.learn(key)
        return pb.RenewKeyResponse(key=key)

    async def _owner(self, _request: Any, owner: Owner) -> pb.GetOwnerResponse:
        return pb.GetOwnerResponse(owner=owner.name)

    async def _bots(self, request: pb.ListOwnBotsRequest, owner: Owner) -> pb.ListOwnBotsResponse:
        size = page_size(request.page_size)
        after = VersionId(page_number(request.page_token)) if request.page_token else None
        # One more, to find out whether there is a next page.
        wanted = OwnBots(request.bot, request.name_prefix, after, size + 1)
        found = await self._registry.own_bots(owner, wanted)
        shown = found[:size]
        present = await self._count_copies([one.id for one in shown])
        response = pb.ListOwnBotsResponse()
        if len(found) > size:
            response.next_page_token = str(shown[-1].id)
        for one in shown:
            if not response.bots or response.bots[-1].name != one.bot:
                response.bots.add(
                    name=one.bot,
                    text=one.text,
                    language=one.language,
                    link=one.link,
                    frozen=one.frozen_at is not None,
                    paused=one.paused_at is not None,
                )
            copies, seats = present.get(one.id, (0, 0))
            response.bots[-1].versions.add(
                label=one.version,
                registered_ms=round(one.created_at.timestamp() * 1000),
                retired=one.retired_at is not None,
                matches=one.matches,
                faults=one.faults,
                connected=copies,
                playing=seats,
                check=one.check,
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

    async def _pause(self, request: pb.PauseBotRequest, owner: Owner) -> pb.PauseBotResponse:
        self._gate.change(owner)
        await self._registry.pause(owner, request.bot, paused=not request.resume)
        return pb.PauseBotResponse()

    async def _rotate(self, request: pb.RotateTokenRequest, owner: Owner) -> pb.RotateTokenResponse:
        self._gate.change(owner)
        token, label = await self._registry.rotate(owner, request.bot, request.version)
        self._gate.learn(token)
        return pb.RotateTokenResponse(version=label, token=token)

    async def _retire(self, request: pb.RetireBotRequest, owner: Owner) -> pb.RetireBotResponse:
        self._gate.change(owner)
        await self._registry.retire(owner, request.bot, request.version)
        return pb.RetireBotResponse()
