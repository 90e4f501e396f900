"""`OperatorService`: the calls of owners who have the role of an operator."""

import json
from typing import Any, Final

import grpc.aio

from arena.codec.mirrored import message_of
from arena.moments import milliseconds
from arena.records import Owner
from arena.server.accounts.messages import Messages
from arena.server.accounts.owner_calls import OwnerCalls, OwnerKeys
from arena.server.accounts.owners import Owners
from arena.server.limits.gate import Gate
from arena.server.operating.operator_statements import OwnersWith
from arena.server.operating.operators import Operators, OwnerOverview
from arena.server.requests.errors import malformed
from arena.v1 import operator_pb2 as pb

MOST_LINES: Final = 200
DEFAULT_LINES: Final = 50
_KINDS: Final = {
    pb.OWNERS_WITH_UNSPECIFIED: OwnersWith.ALL,
    pb.OWNERS_WITH_BAN_OR_FREEZE: OwnersWith.BAN_OR_FREEZE,
    pb.OWNERS_WITH_REFUSED_BUILD: OwnersWith.REFUSED_BUILD,
    pb.OWNERS_WITH_IDENTICAL_BUILD: OwnersWith.IDENTICAL_BUILD,
    pb.OWNERS_WITH_FAULTS: OwnersWith.FAULTS,
}


class OperatorService:
    """The implementation of the proto's OperatorService."""

    def __init__(
        self, keys: OwnerKeys, operators: Operators, owners: Owners, messages: Messages, gate: Gate
    ) -> None:
        self._calls = OwnerCalls(keys, gate, pb)
        self._operators = operators
        self._owners = owners
        self._messages = messages

    @property
    def handlers(self) -> "dict[str, grpc.RpcMethodHandler[Any, Any]]":
        """The calls by name, for the server."""
        of_operator = self._calls.of_operator
        return {
            "ListOwners": of_operator("ListOwners", self._list),
            "ListAudit": of_operator("ListAudit", self._audit),
            "FreezeBot": of_operator("FreezeBot", self._freeze, changes=True),
            "BanOwner": of_operator("BanOwner", self._ban, changes=True),
            "VoidBlock": of_operator("VoidBlock", self._void, changes=True),
            "MessageOwner": of_operator("MessageOwner", self._message, changes=True),
        }

    async def _list(self, request: pb.ListOwnersRequest, _operator: Owner) -> pb.ListOwnersResponse:
        kind = _KINDS.get(request.kind)
        if kind is None:
            raise malformed("`kind` is none of OwnersWith")
        size = _size(request.page_size)
        # One row more shows whether there is a next page.
        found = await self._operators.owners(
            request.name_prefix, kind, request.invite, request.page_token, size + 1
        )
        response = pb.ListOwnersResponse(owners=map(_owner, found[:size]))
        if len(found) > size:
            response.next_page_token = found[size - 1].row.folded
        return response

    async def _audit(self, request: pb.ListAuditRequest, _operator: Owner) -> pb.ListAuditResponse:
        found = await self._owners.audit(_size(request.page_size))
        return pb.ListAuditResponse(
            lines=[
                message_of(pb.AuditLine, row, details_json=json.dumps(row.details)) for row in found
            ]
        )

    async def _freeze(self, request: pb.FreezeBotRequest, operator: Owner) -> None:
        await self._owners.freeze(request.bot, _actor(operator), frozen=not request.undo)

    async def _ban(self, request: pb.BanOwnerRequest, operator: Owner) -> None:
        await self._owners.ban(request.owner, _actor(operator), banned=not request.undo)

    async def _void(self, request: pb.VoidBlockRequest, operator: Owner) -> None:
        await self._operators.void(request.id, _actor(operator), request.reason)

    async def _message(self, request: pb.MessageOwnerRequest, operator: Owner) -> None:
        await self._messages.send_as_operator(request.owner, request.text, _actor(operator))


def _actor(operator: Owner) -> str:
    return f"operator {operator.name}"


def _size(asked: int) -> int:
    if not 0 <= asked <= MOST_LINES:
        raise malformed(f"`page_size` is 1 to {MOST_LINES}, not {asked}")
    return asked or DEFAULT_LINES


def _owner(one: OwnerOverview) -> pb.OwnerDetails:
    bots = [
        message_of(
            pb.OwnersBot,
            bot.row,
            matches=int(bot.row.matches),
            faults=int(bot.row.faults),
            sha256=(bot.row.sha256 or b"").hex(),
            identical_to=bot.identical_to,
        )
        for bot in one.bots
    ]
    return message_of(
        pb.OwnerDetails,
        one.row,
        since_ms=milliseconds(one.row.created_at),
        operator=one.row.operator_since is not None,
        bots=bots,
    )
