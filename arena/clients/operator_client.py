"""`OperatorClient`: an EventClient with the calls of owners who have the role of an operator."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from arena.bot.address import Address
from arena.clients.event_client import EventClient
from arena.codec.mirrored import value_of
from arena.v1 import operator_pb2 as pb
from arena.v1 import owner_pb2
from arena.v1.operator_pb2_grpc import OperatorServiceStub

KINDS: Final = {
    "all": pb.OWNERS_WITH_UNSPECIFIED,
    "frozen": pb.OWNERS_WITH_BAN_OR_FREEZE,
    "refused": pb.OWNERS_WITH_REFUSED_BUILD,
    "identical": pb.OWNERS_WITH_IDENTICAL_BUILD,
    "faults": pb.OWNERS_WITH_FAULTS,
}
"""The filters for a list of owners, by their names in this client."""


@dataclass(frozen=True, slots=True)
class BotOfOwner:
    """A bot, as an operator sees it."""

    name: str
    frozen: bool
    paused: bool
    version: str
    registered: datetime
    state: str
    """The state of the uploaded build; "" for a version that its owner runs."""
    reason: str
    matches: int
    faults: int
    sha256: str
    """The hash of the newest upload, in hexadecimal digits; or ""."""
    identical_to: tuple[str, ...]
    """Other owners who have uploaded the same build."""


@dataclass(frozen=True, slots=True)
class OwnerSeen:
    """An owner, as an operator sees it."""

    name: str
    since: datetime
    banned: bool
    operator: bool
    invite: int
    """The number of the invite with which it signed up; 0 without one."""
    bots: tuple[BotOfOwner, ...]


@dataclass(frozen=True, slots=True)
class AuditSeen:
    """A change that somebody made."""

    at: datetime
    actor: str
    action: str
    subject: str
    details: Mapping[str, Any]


class OperatorClient(EventClient):
    """An EventClient with the calls of operators; every method raises OwnerCallError."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        # Any, because generated stubs are also typed for grpc.aio.
        self._operators: Any = OperatorServiceStub(address.channel())

    def is_operator(self, key: str) -> bool:
        """Return whether a key's owner may make these calls."""
        answer = self._ask(self._owners.GetOwner, owner_pb2.GetOwnerRequest(), key)
        return bool(answer.operator)

    def owners(
        self, key: str, *, prefix: str = "", kind: str = "all", invite: int = 0, page: str = ""
    ) -> tuple[list[OwnerSeen], str]:
        """Return a page of owners by name, and the token of the next page or "".

        `kind` is one of KINDS.
        """
        request = pb.ListOwnersRequest(
            name_prefix=prefix, kind=KINDS[kind], invite=invite, page_token=page
        )
        answer = self._ask(self._operators.ListOwners, request, key)
        return list(map(_owner, answer.owners)), answer.next_page_token

    def audit(self, key: str) -> list[AuditSeen]:
        """Return the newest changes of owners and operators, newest first."""
        answer = self._ask(self._operators.ListAudit, pb.ListAuditRequest(), key)
        return [
            value_of(AuditSeen, one, details=json.loads(one.details_json)) for one in answer.lines
        ]

    def freeze(self, key: str, bot: str, *, frozen: bool = True) -> None:
        """Freeze a bot, so that it does not play, or let it play again."""
        request = pb.FreezeBotRequest(bot=bot, undo=not frozen)
        self._ask(self._operators.FreezeBot, request, key)

    def ban(self, key: str, owner: str, *, banned: bool = True) -> None:
        """Ban an owner with all its bots, or admit them again."""
        request = pb.BanOwnerRequest(owner=owner, undo=not banned)
        self._ask(self._operators.BanOwner, request, key)

    def void(self, key: str, block_or_match: str, reason: str) -> None:
        """Exclude the matches of a block from all ratings, for good."""
        request = pb.VoidBlockRequest(id=block_or_match, reason=reason)
        self._ask(self._operators.VoidBlock, request, key)

    def message(self, key: str, owner: str, text: str) -> None:
        """Send an owner a message from the operator."""
        request = pb.MessageOwnerRequest(owner=owner, text=text)
        self._ask(self._operators.MessageOwner, request, key)


def _owner(one: pb.OwnerDetails) -> OwnerSeen:
    return value_of(OwnerSeen, one, bots=tuple(value_of(BotOfOwner, bot) for bot in one.bots))
