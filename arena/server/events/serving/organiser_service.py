"""`OrganiserService`: the calls of organisers, with their limits and authentication."""

from typing import Any, Final

import grpc.aio

from arena.database.errors import StorageError
from arena.errors import UserError
from arena.records import Owner
from arena.server.accounts.owner_calls import OwnerCalls, OwnerKeys
from arena.server.events.serving.organiser_calls import Organiser, OrganiserCalls, OrganiserStore
from arena.server.limits.gate import Gate
from arena.server.requests.errors import malformed
from arena.v1 import organiser_pb2 as pb

_READING: Final = (
    *("ListOrganisedEvents", "ListParticipants", "GetLastCheck", "GetProgress"),
    *("GetArchivedEvent", "ListArchivedTranscripts", "ListEventWebhooks"),
)
"""The calls that do not count towards the limit of an owner's changes."""


class OrganiserService:
    """The implementation of the proto's OrganiserService."""

    def __init__(self, keys: OwnerKeys, store: OrganiserStore, gate: Gate) -> None:
        self._calls = OwnerCalls(keys, gate, pb)
        self._answers = OrganiserCalls(store).calls
        self._gate = gate

    @property
    def handlers(self) -> "dict[str, grpc.RpcMethodHandler[Any, Any]]":
        """The calls by name, for the server."""
        return {call: self._handler(call) for call in self._answers}

    def _handler(self, call: str) -> "grpc.RpcMethodHandler[Any, Any]":
        async def answer(request: Any, owner: Owner) -> Any:
            try:
                response = await self._answers[call](request, _caller(owner))
            except StorageError:
                raise
            except UserError as error:  # the event.toml, or the rubric
                raise malformed(str(error)) from error
            if call == "EnrollPeople" and not request.only_tell:
                for one in response.added:
                    self._gate.learn_hash(request.people[one.index].key_sha256)
            return response

        return self._calls.of_owner(call, answer, changes=call not in _READING)


def _caller(owner: Owner) -> Organiser:
    """Return who calls: an owner with the role of an operator may organise all events."""
    if owner.operator:
        return Organiser(f"operator {owner.name}")
    return Organiser(owner.actor, owner)
