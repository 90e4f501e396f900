"""`OwnerClient`: a client of OwnerService, for everything that an owner does from any machine."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from arena.bot.address import Address
from arena.clients.referee_client import RefereeClient
from arena.codec.mirrored import value_of
from arena.codec.notes import from_response
from arena.codec.wire_numbers import enum_values
from arena.match.notes import Note
from arena.moments import of_milliseconds
from arena.records import Allowance, SignUp
from arena.server.requests.paging import MOST_LINES
from arena.v1 import owner_pb2 as pb
from arena.v1 import registry_pb2
from arena.v1.owner_pb2_grpc import OwnerServiceStub
from arena.v1.registry_pb2_grpc import RegistryServiceStub

_SIGN_UP: Final = enum_values(SignUp, pb.SignUp.DESCRIPTOR)


@dataclass(frozen=True, slots=True)
class SignUpTerms:
    """The rules for signing up, and how much an owner may register."""

    sign_up: SignUp
    allowance: Allowance
    identity_issuer: str = ""
    """The identity provider with which owners sign up and sign in; "" if there is none."""


@dataclass(frozen=True, slots=True)
class SignedInBy:
    """The result of signing in with an identity."""

    owner: str
    """The owner's name; "" if the identity has no owner: repeat the call with a name or a key."""
    key: str
    suggested_name: str


@dataclass(frozen=True, slots=True)
class MessageSeen:
    """A message of an organiser or the operator to an owner."""

    id: int
    sender: str
    text: str
    sent: datetime
    read: bool


@dataclass(frozen=True, slots=True)
class VersionSeen:
    """A version of a bot, as its owner sees it."""

    label: str
    registered: datetime
    retired: bool
    matches: int
    faults: int
    connected: int
    """The number of copies that are connected now, to any referee."""
    playing: int
    """The number of matches that it is offered or plays now."""
    check: str = ""
    """Its last conformance check, as a sentence; empty without one."""
    refused: bool = False
    """Whether the check of its upload refused it."""


@dataclass(frozen=True, slots=True)
class BotSeen:
    """A bot, as its owner sees it."""

    name: str
    text: str
    language: str
    link: str
    frozen: bool
    paused: bool
    versions: tuple[VersionSeen, ...]
    """The versions, newest first."""
    pace: int | None = None
    """The rated matches an hour that it may begin; None for any number."""
    wished_pace: int | None = None
    """The pace that its owner asks for."""
    shares_decisions: bool = True
    """Whether its decisions are in data sets."""
    shares_notes: bool = False
    """Whether everybody can read its notes."""

    @property
    def retired(self) -> bool:
        """Whether all of its versions are retired."""
        return all(one.retired for one in self.versions)


@dataclass(frozen=True, slots=True)
class BotPage:
    """A page of an owner's bots; one with many versions continues on the next page."""

    bots: tuple[BotSeen, ...]
    """The bots, by name."""
    next_page: str
    """The token of the next page; empty after the last."""


class OwnerClient(RefereeClient):
    """A client of one referee for its owners; every method raises OwnerCallError."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        channel = address.channel()
        # Any, because generated stubs are also typed for grpc.aio.
        self._owners: Any = OwnerServiceStub(channel)
        self._registry: Any = RegistryServiceStub(channel)

    def terms(self) -> SignUpTerms:
        """Return the rules for signing up, and how much an owner may register."""
        found = self._ask(self._owners.GetSignUpTerms, pb.GetSignUpTermsRequest())
        by = _SIGN_UP.get(found.sign_up, SignUp.CLOSED)
        return SignUpTerms(by, value_of(Allowance, found), found.identity_issuer)

    def sign_up(self, name: str, invite: str = "") -> tuple[str, str]:
        """Become an owner, and return the name as it is stored, and the key."""
        request = pb.SignUpRequest(name=_sent(name), invite=_sent(invite))
        answer = self._ask(self._owners.SignUp, request)
        return answer.owner, answer.key

    def sign_in(self, id_token: str, name: str = "", invite: str = "", key: str = "") -> SignedInBy:
        """Sign in with an ID token.

        If the identity has no owner, the call creates an owner `name`, or adds the identity to the
        owner of `key`.
        """
        request = pb.SignInRequest(
            id_token=_sent(id_token), name=_sent(name), invite=_sent(invite), key=_sent(key)
        )
        return value_of(SignedInBy, self._ask(self._owners.SignIn, request))

    def stay_signed_in(self, key: str) -> str:
        """Return a key for a new sign-in of the owner.

        The key expires when it has not been used for a long time.
        """
        made: str = self._ask(self._owners.StaySignedIn, pb.StaySignedInRequest(), key).key
        return made

    def sign_out(self, key: str) -> None:
        """End the sign-in that has this key; an owner's own key stays valid."""
        self._ask(self._owners.SignOut, pb.SignOutRequest(), key)

    def renew_key(self, key: str) -> str:
        """Return a new key of the owner; all other keys become invalid."""
        renewed: str = self._ask(self._owners.RenewKey, pb.RenewKeyRequest(), key).key
        return renewed

    def owner(self, key: str) -> str:
        """Return the name of a key's owner."""
        name: str = self._ask(self._owners.GetOwner, pb.GetOwnerRequest(), key).owner
        return name

    def member(self, key: str) -> str:
        """Return the name of the team member who has a key; "" for the owner's own key."""
        name: str = self._ask(self._owners.GetOwner, pb.GetOwnerRequest(), key).member
        return name

    def register(self, key: str, bot: str, version: str = "1") -> tuple[str, str]:
        """Register a new bot, or a new version of one.

        Returns the bot's name as it is stored, and the token.
        """
        request = registry_pb2.RegisterBotRequest(bot=_sent(bot), version=_sent(version))
        answer = self._ask(self._registry.RegisterBot, request, key)
        return answer.entrant.bot, answer.token

    def bots(
        self, key: str, *, prefix: str = "", versions: int = MOST_LINES, page: str = ""
    ) -> BotPage:
        """Return a page of the owner's bots whose name begins with `prefix`, by name.

        The page holds at most `versions` versions; `page` is the token of a page.
        """
        request = pb.ListOwnBotsRequest(
            name_prefix=_sent(prefix), page_size=versions, page_token=_sent(page)
        )
        answer = self._ask(self._owners.ListOwnBots, request, key)
        return BotPage(tuple(map(_bot, answer.bots)), answer.next_page_token)

    def bots_in_service(self, key: str) -> list[str]:
        """Return the names of all of the owner's bots that are not retired, by name."""
        names: dict[str, None] = {}  # a bot with many versions is on several pages
        page = ""
        while True:
            found = self.bots(key, page=page)
            names.update((bot.name, None) for bot in found.bots if not bot.retired)
            page = found.next_page
            if not page:
                return list(names)

    def bot(self, key: str, name: str, versions: int = MOST_LINES) -> BotSeen:
        """Return the owner's bot of that name, with at most `versions` of its newest versions."""
        found: list[VersionSeen] = []
        page = ""
        while True:
            size = min(versions - len(found), MOST_LINES)
            request = pb.ListOwnBotsRequest(bot=_sent(name), page_size=size, page_token=page)
            answer = self._ask(self._owners.ListOwnBots, request, key)
            bot, page = _bot(answer.bots[0]), answer.next_page_token
            found += bot.versions
            if not page or len(found) >= versions:
                return replace(bot, versions=tuple(found))

    def add_member(self, key: str, name: str) -> str:
        """Add a member to the owner's team; return the member's key."""
        answer = self._ask(self._owners.AddMember, pb.AddMemberRequest(name=_sent(name)), key)
        return str(answer.key)

    def members(self, key: str) -> list[tuple[str, datetime]]:
        """Return the members of the owner's team, and when each was added."""
        answer = self._ask(self._owners.ListMembers, pb.ListMembersRequest(), key)
        return [(one.name, of_milliseconds(one.added_ms)) for one in answer.members]

    def remove_member(self, key: str, name: str) -> None:
        """Remove a member of the owner's team."""
        self._ask(self._owners.RemoveMember, pb.RemoveMemberRequest(name=_sent(name)), key)

    def messages(self, key: str) -> list[MessageSeen]:
        """Return the messages to the owner, newest first."""
        answer = self._ask(self._owners.ListMessages, pb.ListMessagesRequest(), key)
        return [value_of(MessageSeen, one) for one in answer.messages]

    def mark_messages_read(self, key: str, up_to_id: int) -> None:
        """Mark the owner's messages as read, up to the one with this id."""
        request = pb.MarkMessagesReadRequest(up_to_id=up_to_id)
        self._ask(self._owners.MarkMessagesRead, request, key)

    def describe(
        self,
        key: str,
        bot: str,
        *,
        text: str | None = None,
        language: str | None = None,
        link: str | None = None,
    ) -> None:
        """Change the owner's description of a bot, as far as given."""
        given = {"text": text, "language": language, "link": link}
        said = {field: _sent(words) for field, words in given.items() if words is not None}
        self._ask(self._owners.DescribeBot, pb.DescribeBotRequest(bot=_sent(bot), **said), key)

    def pause(self, key: str, bot: str, *, paused: bool = True) -> None:
        """Pause a bot, or let it play again."""
        self._ask(self._owners.PauseBot, pb.PauseBotRequest(bot=_sent(bot), resume=not paused), key)

    def pace(self, key: str, bot: str, pace: int | None) -> None:
        """Set how many rated matches an hour a bot may begin at most; None for any number."""
        self._ask(self._owners.PaceBot, pb.PaceBotRequest(bot=_sent(bot), pace=pace or 0), key)

    def share_decisions(self, key: str, bot: str, *, shared: bool) -> None:
        """Include the decisions of a bot in data sets, or exclude them."""
        request = pb.ShareDecisionsRequest(bot=_sent(bot), keep=not shared)
        self._ask(self._owners.ShareDecisions, request, key)

    def share_notes(self, key: str, bot: str, *, shared: bool) -> None:
        """Let everybody read the notes of a bot, or only its owner."""
        request = pb.ShareNotesRequest(bot=_sent(bot), share=shared)
        self._ask(self._owners.ShareNotes, request, key)

    def notes(self, match_id: str, key: str | None = None) -> list[Note]:
        """Return the notes of a finished match that may be read, by turn and seat.

        These are the notes of bots whose owners share them, and of the bots of the key's owner.
        """
        request = pb.GetNotesRequest(match_id=_sent(match_id))
        return from_response(self._ask(self._owners.GetNotes, request, key))

    def rotate(self, key: str, bot: str, version: str = "") -> tuple[str, str]:
        """Issue a new token, by default for the newest version in service.

        Returns the version's label and the token.
        """
        request = pb.RotateTokenRequest(bot=_sent(bot), version=_sent(version))
        answer = self._ask(self._owners.RotateToken, request, key)
        return answer.version, answer.token

    def retire(self, key: str, bot: str, version: str = "") -> None:
        """Retire a version, or the whole bot."""
        request = pb.RetireBotRequest(bot=_sent(bot), version=_sent(version))
        self._ask(self._owners.RetireBot, request, key)


def _sent(words: str) -> str:
    """Return text that protobuf accepts: lone surrogates are replaced."""
    return words.encode("utf-8", "replace").decode()


def _bot(one: pb.OwnBot) -> BotSeen:
    return value_of(
        BotSeen,
        one,
        versions=tuple(value_of(VersionSeen, version) for version in one.versions),
        pace=one.pace or None,
        wished_pace=one.wished_pace or None,
        shares_decisions=not one.keeps_decisions,
    )
