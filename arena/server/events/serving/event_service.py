"""`EventService`: the calls of owners about events."""

import asyncio
from typing import Any

import grpc
import grpc.aio

from arena.codec.transcript import to_message
from arena.match.match_id import is_match_id
from arena.records import Owner
from arena.server.accounts.owner_calls import OwnerCalls, OwnerKeys
from arena.server.events.finals.standings import standings
from arena.server.events.ladders.ladders import MOST_TRANSCRIPTS
from arena.server.events.serving.event_messages import event_details, ladder_line, match, standing
from arena.server.events.serving.event_views import EventViews
from arena.server.events.serving.events import Events
from arena.server.limits.gate import Gate
from arena.server.requests.errors import ProtocolError
from arena.server.uploads.hosted_builds import HostedBuilds
from arena.v1 import event_pb2 as pb


class EventService:
    """The implementation of the proto's EventService."""

    def __init__(
        self,
        keys: OwnerKeys,
        events: Events,
        views: EventViews,
        builds: HostedBuilds,
        gate: Gate,
    ) -> None:
        self._calls = OwnerCalls(keys, gate, pb)
        self._events = events
        self._views = views
        self._builds = builds

    @property
    def handlers(self) -> "dict[str, grpc.RpcMethodHandler[Any, Any]]":
        """The calls by name, for the server."""
        return {
            "ListEvents": self._calls.of_viewer("ListEvents", self._list),
            "GetEventLadder": self._calls.of_viewer("GetEventLadder", self._ladder),
            "GetEventStandings": self._calls.of_viewer("GetEventStandings", self._standings),
            "ListEventMatches": self._calls.of_viewer("ListEventMatches", self._matches),
            "GetEventTranscript": self._calls.of_viewer("GetEventTranscript", self._transcript),
            "EnterEvent": self._calls.of_owner("EnterEvent", self._enter, changes=True),
            "LeaveEvent": self._calls.of_owner("LeaveEvent", self._leave, changes=True),
        }

    async def _list(
        self, request: pb.ListEventsRequest, viewer: int | None
    ) -> pb.ListEventsResponse:
        found, now = await self._views.newest(viewer, request.name or None)
        events = [event_details(one, now) for one in found]
        if not request.name:
            for one in events:
                one.ClearField("text")  # a hundred of them would be megabytes
        return pb.ListEventsResponse(events=events)

    async def _ladder(
        self, request: pb.GetEventLadderRequest, viewer: int | None
    ) -> pb.GetEventLadderResponse:
        event = await self._views.named(viewer, request.event)
        lines = await self._views.ladder(viewer, event)
        return pb.GetEventLadderResponse(lines=map(ladder_line, lines))

    async def _standings(
        self, request: pb.GetEventStandingsRequest, viewer: int | None
    ) -> pb.GetEventStandingsResponse:
        event = await self._views.named(viewer, request.event)
        record = await self._views.results(viewer, event)
        lines = [] if record is None else await asyncio.to_thread(standings, record)
        return pb.GetEventStandingsResponse(lines=map(standing, lines))

    async def _matches(
        self, request: pb.ListEventMatchesRequest, viewer: int | None
    ) -> pb.ListEventMatchesResponse:
        event = await self._views.named(viewer, request.event)
        find = self._views.final_matches if request.final else self._views.matches
        found = await find(
            viewer, event, bot=request.bot or None, before=request.before_block or None
        )
        return pb.ListEventMatchesResponse(matches=map(match, found))

    async def _transcript(
        self, request: pb.GetEventTranscriptRequest, viewer: int | None
    ) -> pb.GetEventTranscriptResponse:
        event = await self._views.named(viewer, request.event)
        found = None
        if is_match_id(request.match_id):
            found = await self._views.transcript(viewer, event, request.match_id)
        if found is None:
            raise ProtocolError(
                grpc.StatusCode.NOT_FOUND,
                f"{event.name} has no match {request.match_id[:60]} whose transcript is kept: "
                f"of its ladder, those of the newest {MOST_TRANSCRIPTS:,} blocks are",
            )
        return pb.GetEventTranscriptResponse(transcript=to_message(found))

    async def _enter(self, request: pb.EnterEventRequest, owner: Owner) -> pb.EnterEventResponse:
        event, now, version = await self._events.enter(
            owner, request.event, request.bot, code=request.code, team=request.team
        )
        notices = await self._builds.open_events(owner, request.bot)
        return pb.EnterEventResponse(
            event=event_details(event, now), version=version or "", notices=notices
        )

    async def _leave(self, request: pb.LeaveEventRequest, owner: Owner) -> None:
        await self._events.leave(owner, request.event)
