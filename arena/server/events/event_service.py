"""`EventService`: the calls of owners about events."""

from typing import Any

import grpc.aio

from arena.records import Owner
from arena.server.accounts.owner_calls import OwnerCalls, OwnerKeys
from arena.server.events.event_details import event_details
from arena.server.events.events import Events
from arena.server.limits.gate import Gate
from arena.server.limits.refusals import Context
from arena.server.uploads.hosted_builds import HostedBuilds
from arena.v1 import event_pb2 as pb


class EventService:
    """The implementation of the proto's EventService."""

    def __init__(self, keys: OwnerKeys, events: Events, builds: HostedBuilds, gate: Gate) -> None:
        self._calls = OwnerCalls(keys, gate, pb)
        self._events = events
        self._builds = builds
        self._gate = gate

    @property
    def handlers(self) -> "dict[str, grpc.RpcMethodHandler[Any, Any]]":
        """The calls by name, for the server."""
        return {
            "ListEvents": self._calls.of_anybody("ListEvents", self._list),
            "EnterEvent": self._calls.of_owner("EnterEvent", self._enter),
            "LeaveEvent": self._calls.of_owner("LeaveEvent", self._leave),
        }

    async def _list(
        self, request: pb.ListEventsRequest, _context: Context
    ) -> pb.ListEventsResponse:
        found, now = await self._events.newest(request.name or None)
        events = [event_details(one, now) for one in found]
        if not request.name:
            for one in events:
                one.ClearField("text")  # a hundred of them would be megabytes
        return pb.ListEventsResponse(events=events)

    async def _enter(self, request: pb.EnterEventRequest, owner: Owner) -> pb.EnterEventResponse:
        self._gate.change(owner)
        event, now, version = await self._events.enter(
            owner, request.event, request.bot, code=request.code, team=request.team
        )
        notices = await self._builds.open_events(owner, request.bot)
        return pb.EnterEventResponse(
            event=event_details(event, now), version=version or "", notices=notices
        )

    async def _leave(self, request: pb.LeaveEventRequest, owner: Owner) -> pb.LeaveEventResponse:
        self._gate.change(owner)
        await self._events.leave(owner, request.event)
        return pb.LeaveEventResponse()
