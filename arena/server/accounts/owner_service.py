"""`OwnerService`: the unary calls by which owners sign up and look after their bots."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal

import grpc
import grpc.aio

from arena.codec.mirrored import message_of
from arena.codec.notes import notes_message
from arena.codec.wire_numbers import enum_numbers
from arena.match.notes import Note
from arena.moments import milliseconds
from arena.records import Allowance, OwnBots, Owner, SignUp, VersionId
from arena.scheduling.bot_paces import FASTEST_AN_HOUR
from arena.server.accounts.identity_provider import IdentityProvider
from arena.server.accounts.messages import Messages
from arena.server.accounts.owner_calls import OwnerCalls, OwnerKeys
from arena.server.accounts.owners import Owners
from arena.server.accounts.sign_ins import SignIns
from arena.server.limits.gate import Gate
from arena.server.limits.guarding import bearer_token
from arena.server.limits.refusals import Context
from arena.server.requests.errors import ProtocolError, malformed
from arena.server.requests.paging import page_number, page_size
from arena.v1 import owner_pb2 as pb

_SIGN_UP: Final = enum_numbers(SignUp, pb.SignUp.DESCRIPTOR)


CountCopies = Callable[[Collection[VersionId]], Awaitable[Mapping[VersionId, tuple[int, int]]]]
"""Returns, for each connected version, the number of its copies connected to any referee, and the
number of matches in which they have a seat. Raises StorageError."""


DescribeChecks = Callable[[Collection[VersionId]], Awaitable[Mapping[VersionId, str]]]
"""Returns the last check of each version that was checked, in a sentence. Raises StorageError."""


FindRefused = Callable[[Collection[VersionId]], Awaitable[Collection[VersionId]]]
"""Returns the given versions whose upload was refused. Raises StorageError."""


FindNotes = Callable[[str, int | None], Awaitable[list[Note] | None]]
"""Returns the notes of a match that an owner, or anybody, may read; None if there is no such match.
Raises StorageError."""


@dataclass(frozen=True, slots=True)
class SignUpRules:
    """Who may sign up, and what an owner may register then."""

    by: SignUp
    allowance: Allowance
    provider: IdentityProvider | None = None
    """Where owners sign up and sign in; without one, they do so by their keys."""


class OwnerService:
    """Serves the proto's OwnerService."""

    def __init__(
        self,
        keys: OwnerKeys,
        owners: Owners,
        sign_ins: SignIns,
        messages: Messages,
        rules: SignUpRules,
        gate: Gate,
        count_copies: CountCopies,
        describe_checks: DescribeChecks,
        find_refused: FindRefused,
        find_notes: FindNotes,
    ) -> None:
        self._owners = owners
        self._sign_ins = sign_ins
        self._messages = messages
        self._rules = rules
        self._gate = gate
        self._count_copies = count_copies
        self._describe_checks = describe_checks
        self._find_refused = find_refused
        self._find_notes = find_notes
        self._calls = OwnerCalls(keys, gate, pb)

    @property
    def handlers(self) -> "dict[str, grpc.RpcMethodHandler[Any, Any]]":
        """The calls by name, for the server."""
        of_anybody, of_owner = self._calls.of_anybody, self._calls.of_owner
        return {
            "GetSignUpTerms": of_anybody("GetSignUpTerms", self._sign_up_terms),
            "SignUp": of_anybody("SignUp", self._sign_up),
            "SignIn": of_anybody("SignIn", self._sign_in),
            "StaySignedIn": of_owner("StaySignedIn", self._stay_signed_in, changes=True),
            "SignOut": of_anybody("SignOut", self._sign_out),
            "RenewKey": of_owner("RenewKey", self._renew_key, changes=True),
            "GetOwner": of_owner("GetOwner", self._owner),
            "AddMember": of_owner("AddMember", self._add_member, changes=True),
            "ListMembers": of_owner("ListMembers", self._members),
            "RemoveMember": of_owner("RemoveMember", self._remove_member, changes=True),
            "ListMessages": of_owner("ListMessages", self._list_messages),
            "MarkMessagesRead": of_owner("MarkMessagesRead", self._mark_read, changes=True),
            "ListOwnBots": of_owner("ListOwnBots", self._bots),
            "DescribeBot": of_owner("DescribeBot", self._describe, changes=True),
            "PauseBot": of_owner("PauseBot", self._pause, changes=True),
            "PaceBot": of_owner("PaceBot", self._pace),
            "ShareDecisions": of_owner("ShareDecisions", self._share_decisions, changes=True),
            "ShareNotes": of_owner("ShareNotes", self._share_notes, changes=True),
            "GetNotes": self._calls.of_viewer("GetNotes", self._notes),
            "RotateToken": of_owner("RotateToken", self._rotate, changes=True),
            "RetireBot": of_owner("RetireBot", self._retire, changes=True),
        }

    async def _sign_up_terms(self, _request: Any, _context: Context) -> pb.GetSignUpTermsResponse:
        allowed, provider = self._rules.allowance, self._rules.provider
        return message_of(
            pb.GetSignUpTermsResponse,
            allowed,
            sign_up=_SIGN_UP[self._rules.by],
            identity_issuer="" if provider is None else provider.issuer,
        )

    async def _sign_up(self, request: pb.SignUpRequest, context: Context) -> pb.SignUpResponse:
        peer = self._gate.caller(context)
        async with self._signing_up(peer, request.invite):
            provider = self._rules.provider
            if provider is not None:
                raise ProtocolError(
                    grpc.StatusCode.PERMISSION_DENIED,
                    "here owners sign up on the arena's pages, by their identity at "
                    f'{provider.issuer}; "My bots" there makes a key for `arena login`',
                )
            owner, key = await self._owners.sign_up(request.name, self._code(request.invite))
        self._gate.learn(key)
        return pb.SignUpResponse(owner=owner.name, key=key)

    async def _sign_in(self, request: pb.SignInRequest, context: Context) -> pb.SignInResponse:
        peer = self._gate.caller(context)
        # A token that is not valid counts as a wrong key.
        async with self._gate.trying(request.id_token, peer):
            if self._rules.provider is None:
                raise ProtocolError(
                    grpc.StatusCode.UNIMPLEMENTED,
                    "this arena has no identity provider: sign in with your key",
                )
            identity = await self._rules.provider.identity(request.id_token)
            found = await self._sign_ins.sign_in(identity)
        if found is None and request.key:
            async with self._gate.trying(request.key, peer):
                found = await self._sign_ins.bind(identity, request.key)
        elif found is None and request.name:
            async with self._signing_up(peer, request.invite):
                code = self._code(request.invite)
                found = await self._sign_ins.sign_up(identity, request.name, code)
        if found is None:
            return pb.SignInResponse(suggested_name=identity.suggested_name)
        owner, key = found
        self._gate.learn(key)
        return pb.SignInResponse(owner=owner.name, key=key)

    @asynccontextmanager
    async def _signing_up(self, peer: str, invite: str) -> AsyncIterator[None]:
        """Apply the rules and limits of signing up to a caller while the block runs."""
        with self._gate.signing_up(peer):
            if self._rules.by is SignUp.CLOSED:
                raise ProtocolError(
                    grpc.StatusCode.PERMISSION_DENIED,
                    "nobody can sign up here: ask the operator to register your bot",
                )
            if self._rules.by is not SignUp.INVITE:
                yield
                return
            # An unknown invite counts as a wrong key.
            async with self._gate.trying(invite, peer):
                yield

    def _code(self, invite: str) -> str | None:
        return invite if self._rules.by is SignUp.INVITE else None

    async def _stay_signed_in(self, _request: Any, owner: Owner) -> pb.StaySignedInResponse:
        key = await self._sign_ins.stay(owner)
        self._gate.learn(key)
        return pb.StaySignedInResponse(key=key)

    async def _sign_out(self, _request: Any, context: Context) -> None:
        try:
            await self._calls.owner(context)
        except ProtocolError as error:
            # An owner who is banned may sign out, too.
            if error.code is not grpc.StatusCode.PERMISSION_DENIED:
                raise
        await self._sign_ins.end(bearer_token(context))

    async def _renew_key(self, _request: Any, owner: Owner) -> pb.RenewKeyResponse:
        key = await self._owners.renew_key(owner)
        self._gate.learn(key)
        return pb.RenewKeyResponse(key=key)

    async def _owner(self, _request: Any, owner: Owner) -> pb.GetOwnerResponse:
        return pb.GetOwnerResponse(owner=owner.name, member=owner.member, operator=owner.operator)

    async def _add_member(self, request: pb.AddMemberRequest, owner: Owner) -> pb.AddMemberResponse:
        key = await self._owners.add_member(owner, request.name)
        self._gate.learn(key)
        return pb.AddMemberResponse(key=key)

    async def _members(self, _request: Any, owner: Owner) -> pb.ListMembersResponse:
        response = pb.ListMembersResponse()
        for row in await self._owners.members(owner):
            response.members.add(name=row.name, added_ms=milliseconds(row.created_at))
        return response

    async def _remove_member(self, request: pb.RemoveMemberRequest, owner: Owner) -> None:
        await self._owners.remove_member(owner, request.name)

    async def _list_messages(self, _request: Any, owner: Owner) -> pb.ListMessagesResponse:
        found = await self._messages.to(owner)
        return pb.ListMessagesResponse(messages=[message_of(pb.Message, row) for row in found])

    async def _mark_read(self, request: pb.MarkMessagesReadRequest, owner: Owner) -> None:
        await self._messages.mark_read(owner, request.up_to_id)

    async def _bots(self, request: pb.ListOwnBotsRequest, owner: Owner) -> pb.ListOwnBotsResponse:
        size = page_size(request.page_size)
        after = VersionId(page_number(request.page_token)) if request.page_token else None
        # One row more shows whether there is a next page.
        wanted = OwnBots(request.bot, request.name_prefix, after, size + 1)
        found = await self._owners.bots(owner, wanted)
        shown = found[:size]
        ids = [one.id for one in shown]
        present, checks = await self._count_copies(ids), await self._describe_checks(ids)
        refused = await self._find_refused(ids)
        response = pb.ListOwnBotsResponse()
        if len(found) > size:
            response.next_page_token = str(shown[-1].id)
        for one in shown:
            if not response.bots or response.bots[-1].name != one.bot:
                kept = not one.shares_decisions
                bot = message_of(pb.OwnBot, one, name=one.bot, keeps_decisions=kept, versions=())
                response.bots.append(bot)
            copies, seats = present.get(one.id, (0, 0))
            version = message_of(
                pb.OwnVersion,
                one,
                label=one.version,
                registered_ms=milliseconds(one.created_at),
                connected=copies,
                playing=seats,
                check=checks.get(one.id),
                refused=one.id in refused,
            )
            response.bots[-1].versions.append(version)
        return response

    async def _describe(self, request: pb.DescribeBotRequest, owner: Owner) -> None:
        fields: tuple[Literal["text", "language", "link"], ...] = ("text", "language", "link")
        said: dict[str, str] = {
            field: getattr(request, field) for field in fields if request.HasField(field)
        }
        await self._owners.describe(owner, request.bot, said)

    async def _pause(self, request: pb.PauseBotRequest, owner: Owner) -> None:
        await self._owners.pause(owner, request.bot, paused=not request.resume)

    async def _pace(self, request: pb.PaceBotRequest, owner: Owner) -> None:
        if not 0 <= request.pace <= FASTEST_AN_HOUR:
            raise malformed(f"`pace` is 0 to {FASTEST_AN_HOUR:,}, not {request.pace:,}")
        self._gate.change(owner)
        await self._owners.wish_pace(owner, request.bot, request.pace or None)

    async def _share_decisions(self, request: pb.ShareDecisionsRequest, owner: Owner) -> None:
        await self._owners.share(owner, request.bot, "decisions", shared=not request.keep)

    async def _share_notes(self, request: pb.ShareNotesRequest, owner: Owner) -> None:
        await self._owners.share(owner, request.bot, "notes", shared=request.share)

    async def _notes(self, request: pb.GetNotesRequest, viewer: int | None) -> pb.GetNotesResponse:
        found = await self._find_notes(request.match_id.lower(), viewer)
        if found is None:
            raise ProtocolError(
                grpc.StatusCode.NOT_FOUND, f"there is no match {request.match_id[:80]}"
            )
        return notes_message(found)

    async def _rotate(self, request: pb.RotateTokenRequest, owner: Owner) -> pb.RotateTokenResponse:
        token, label = await self._owners.rotate(owner, request.bot, request.version or None)
        self._gate.learn(token)
        return pb.RotateTokenResponse(version=label, token=token)

    async def _retire(self, request: pb.RetireBotRequest, owner: Owner) -> None:
        await self._owners.retire(owner, request.bot, request.version or None)
