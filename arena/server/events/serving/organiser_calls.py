"""`OrganiserCalls`: the answers to the calls of OrganiserService.

The service uses it for owners and for remote operators; commands on the arena's own machine use it
for the operator. Operators may do everything.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol

from sqlalchemy import Row as SqlRow

from arena.builds.hosted import BuildState
from arena.codec.mirrored import message_of
from arena.database.errors import NotAllowedError, RequestRefusedError, WrongStateError
from arena.moments import milliseconds, of_milliseconds
from arena.records import Owner
from arena.server.accounts.messages import OPERATOR, Messages
from arena.server.events.event import Dates, Event
from arena.server.events.event_file import read_event
from arena.server.events.finals.archives import Archives
from arena.server.events.finals.finals import Finals
from arena.server.events.grade_forms import Graded
from arena.server.events.grades import read_rubric
from arena.server.events.organisers import Organisers
from arena.server.events.roster_file import Enrollee
from arena.server.events.rosters import Rosters
from arena.server.events.serving.event_messages import event_details
from arena.server.events.serving.event_views import EventViews
from arena.server.events.serving.events import Events
from arena.server.events.serving.grading import Grading
from arena.server.notices.webhooks import Webhooks
from arena.v1 import organiser_pb2 as pb
from arena.v1 import upload_pb2

_STATES: Final = {
    state.value: upload_pb2.BuildState.Value(f"BUILD_STATE_{state.name}") for state in BuildState
}
_PART_BYTES: Final = 1 << 20
"""The most bytes of an event.json in one answer."""
_LONGEST_LINE: Final = 300
"""The greatest length of each line of a reason in a list, in characters."""


class OrganiserStore(Protocol):
    """The stores that these calls use."""

    events: Events
    finals: Finals
    archives: Archives
    rosters: Rosters
    organisers: Organisers
    event_views: EventViews
    grading: Grading
    messages: Messages
    webhooks: Webhooks


@dataclass(frozen=True, slots=True)
class Organiser:
    """Who calls."""

    actor: str
    """The name for the audit."""
    owner: Owner | None = None
    """None for an operator."""
    here: bool = False
    """Whether the operator calls on the arena's machine: webhooks may be in its own network."""


Call = Callable[[Any, Organiser], Awaitable[Any]]
EventCall = Callable[[Any, Event, Organiser], Awaitable[Any]]


class OrganiserCalls:
    """The calls by name. Each about an event is answered only to its organisers."""

    def __init__(self, store: OrganiserStore) -> None:
        self._store = store
        of_event: Mapping[str, EventCall] = {
            "MoveEvent": self._move,
            "CancelEvent": self._cancel,
            "WithdrawBot": self._withdraw,
            "ListParticipants": self._participants,
            "GetLastCheck": self._last_check,
            "EnrollPeople": self._enroll,
            "MovePerson": self._move_person,
            "RemovePerson": self._remove_person,
            "ExcusePerson": self._excuse_person,
            "GetProgress": self._progress,
            "GetGrades": self._grades,
            "SendMessage": self._message,
            "AddEventWebhook": self._add_webhook,
            "RemoveEventWebhook": self._remove_webhook,
            "ListEventWebhooks": self._webhooks,
            "GetArchivedEvent": self._archived_event,
            "ListArchivedTranscripts": self._archived_transcripts,
        }
        self.calls: Mapping[str, Call] = {
            "ListOrganisedEvents": self._list,
            "CreateEvent": self._create,
            **{name: self._organised(call) for name, call in of_event.items()},
        }
        """The calls by name; they raise UserErrors."""

    def _organised(self, call: EventCall) -> Call:
        """Return a call that is answered only to the organisers of the event that it names."""

        async def answer(request: Any, who: Organiser) -> Any:
            event, _ = await self._store.events.named(request.event)
            if who.owner is not None and not await self._store.organisers.organises(
                who.owner, event
            ):
                # A private event does not exist for owners who are not its members.
                await self._store.event_views.named(who.owner.id, request.event)
                raise NotAllowedError(
                    f"You do not organise {event.name}: the operator names its organisers."
                )
            return await call(request, event, who)

        return answer

    async def _list(
        self, _request: pb.ListOrganisedEventsRequest, who: Organiser
    ) -> pb.ListOrganisedEventsResponse:
        if who.owner is None:
            (found, now), may_create = await self._store.events.newest(), True
        else:
            found, may_create, now = await self._store.organisers.organised(who.owner)
        events = [event_details(one, now) for one in found]
        for one in events:
            one.ClearField("text")
        return pb.ListOrganisedEventsResponse(events=events, may_create=may_create)

    async def _create(
        self, request: pb.CreateEventRequest, who: Organiser
    ) -> pb.CreateEventResponse:
        if who.owner is not None:  # first, as reading the text may take long
            await self._store.organisers.require_maker(who.owner)
        said = read_event(request.toml)
        event, code = await self._store.events.create(request.name, said, who.actor, who.owner)
        _, now = await self._store.events.named(event.name)
        return pb.CreateEventResponse(event=event_details(event, now), code=code or "")

    async def _move(
        self, request: pb.MoveEventRequest, event: Event, who: Organiser
    ) -> pb.MoveEventResponse:
        old = event.terms.dates
        dates = Dates(
            _moment(request.opens_ms) if request.HasField("opens_ms") else old.opens,
            _moment(request.freezes_ms) if request.HasField("freezes_ms") else old.freezes,
            _moment(request.final_ms) if request.HasField("final_ms") else old.final,
            _moment(request.results_ms) if request.HasField("results_ms") else old.results,
        )
        await self._store.events.move(event.name, dates, who.actor)
        return pb.MoveEventResponse(
            event=event_details(*await self._store.events.named(event.name))
        )

    async def _cancel(self, request: pb.CancelEventRequest, event: Event, who: Organiser) -> None:
        await self._store.events.cancel(event.name, who.actor, request.why)

    async def _withdraw(self, request: pb.WithdrawBotRequest, event: Event, who: Organiser) -> None:
        await self._store.events.withdraw(event.name, request.bot, who.actor)

    async def _participants(
        self, _request: pb.ListParticipantsRequest, event: Event, _who: Organiser
    ) -> pb.ListParticipantsResponse:
        _, now = await self._store.events.named(event.name)
        lines = await self._store.event_views.standings(event) if event.terms.ladder else ()
        elo = {(one.player.entrant.bot, one.player.entrant.version): one.elo for one in lines}
        people: dict[int, list[pb.Person]] = {}
        for row in await self._store.rosters.of(event):
            people.setdefault(row.owner_id, []).append(message_of(pb.Person, row))
        return pb.ListParticipantsResponse(
            event=event_details(event, now),
            participants=[
                _participant(
                    row, people.get(row.owner_id, ()), elo.get((row.bot, row.version or row.plays))
                )
                for row in await self._store.organisers.participants(event)
            ],
        )

    async def _last_check(
        self, request: pb.GetLastCheckRequest, event: Event, _who: Organiser
    ) -> pb.GetLastCheckResponse:
        row = await self._store.organisers.last_check(event, request.bot)
        return message_of(pb.GetLastCheckResponse, row, state=_STATES.get(row.state))

    async def _enroll(
        self, request: pb.EnrollPeopleRequest, event: Event, who: Organiser
    ) -> pb.EnrollPeopleResponse:
        people = [
            Enrollee(one.name.strip(), one.email.strip(), one.student_number.strip(), one.team)
            for one in request.people
        ]
        keys = [one.key_sha256 for one in request.people]
        added = await self._store.rosters.enroll(
            event, people, keys, who.actor, only_tell=request.only_tell
        )
        _, now = await self._store.events.named(event.name)
        return pb.EnrollPeopleResponse(
            event=event_details(event, now),
            added=[message_of(pb.Enrolled, one, owner=one.team) for one in added],
        )

    async def _move_person(
        self, request: pb.MovePersonRequest, event: Event, who: Organiser
    ) -> None:
        await self._store.rosters.move(event, request.person, request.team, who.actor)

    async def _remove_person(
        self, request: pb.RemovePersonRequest, event: Event, who: Organiser
    ) -> None:
        await self._store.rosters.remove(event, request.person, who.actor)

    async def _excuse_person(
        self, request: pb.ExcusePersonRequest, event: Event, who: Organiser
    ) -> None:
        await self._store.rosters.excuse(event, request.person, who.actor, excused=not request.undo)

    async def _progress(
        self, _request: pb.GetProgressRequest, event: Event, _who: Organiser
    ) -> pb.GetProgressResponse:
        event, now = await self._store.events.named(event.name)
        if event.released_at is not None or event.cancelled_at is not None:
            raise WrongStateError(
                f"{event.name} is {event.phase(now).value}: nothing is to be played any more."
                + f" See `arena tournament standings {event.tournament}`." * bool(event.tournament)
            )
        found = await self._store.finals.progress(event)
        return message_of(
            pb.GetProgressResponse,
            found,
            event=event_details(event, now),
            left_ms=None if found.left is None else round(found.left.total_seconds() * 1000),
            ended_ms=None if event.ended_at is None else milliseconds(event.ended_at),
        )

    async def _grades(
        self, request: pb.GetGradesRequest, event: Event, _who: Organiser
    ) -> pb.GetGradesResponse:
        graded, not_analysed = await self._store.grading.grades(event, read_rubric(request.rubric))
        _, now = await self._store.events.named(event.name)
        return pb.GetGradesResponse(
            event=event_details(event, now),
            grades=map(_grade, graded),
            not_analysed=not_analysed,
        )

    async def _message(self, request: pb.SendMessageRequest, event: Event, who: Organiser) -> None:
        if not request.owners:
            raise RequestRefusedError(
                "Name the recipients: `owners` must list owners who take part."
            )
        owners = await self._store.organisers.owners_here(event, request.owners)
        sender = OPERATOR
        if who.owner is not None:
            sender = f"{who.owner.actor}, organiser of {event.terms.title}"
        await self._store.messages.send(
            owners, request.text, sender=sender, about=event.name, actor=who.actor
        )

    async def _add_webhook(
        self, request: pb.AddEventWebhookRequest, event: Event, who: Organiser
    ) -> pb.AddEventWebhookResponse:
        secret = await self._store.webhooks.add(
            event.id, event.name, request.url, who.actor, public_only=not who.here
        )
        return pb.AddEventWebhookResponse(secret=secret)

    async def _remove_webhook(
        self, request: pb.RemoveEventWebhookRequest, event: Event, who: Organiser
    ) -> None:
        await self._store.webhooks.remove(
            event.id, event.name, request.url, who.actor, public_only=not who.here
        )

    async def _webhooks(
        self, _request: pb.ListEventWebhooksRequest, event: Event, who: Organiser
    ) -> pb.ListEventWebhooksResponse:
        found = await self._store.webhooks.of_event(event.id, public_only=not who.here)
        return pb.ListEventWebhooksResponse(
            webhooks=[message_of(pb.EventWebhook, row) for row in found]
        )

    async def _archived_event(
        self, request: pb.GetArchivedEventRequest, event: Event, _who: Organiser
    ) -> pb.GetArchivedEventResponse:
        signed = await self._store.archives.signed(event)
        if signed is None:
            raise WrongStateError(f"{event.name} is not released: there is nothing to archive.")
        start = max(0, request.offset)
        return pb.GetArchivedEventResponse(
            part=signed.text[start : start + _PART_BYTES],
            size=len(signed.text),
            signature=signed.signature,
        )

    async def _archived_transcripts(
        self, request: pb.ListArchivedTranscriptsRequest, event: Event, _who: Organiser
    ) -> pb.ListArchivedTranscriptsResponse:
        found = await self._store.archives.transcripts(event, max(0, request.after))
        response = pb.ListArchivedTranscriptsResponse()
        for message in found:
            response.transcripts.add().ParseFromString(message)
        return response


def _participant(
    row: SqlRow[Any], people: Sequence[pb.Person], elo: float | None
) -> pb.Participant:
    return message_of(
        pb.Participant,
        row,
        sha256=row.sha256 and bytes(row.sha256),
        state=_STATES.get(row.state),
        reason=_shortened(row.reason or "") if row.state == BuildState.REFUSED.value else "",
        last_seen_ms=None if row.seen_at is None else milliseconds(row.seen_at),
        people=people,
        elo=elo,
    )


def _shortened(reason: str) -> str:
    """Return the first and the last line: the last line that a program printed says most."""
    lines = [one[:_LONGEST_LINE] for one in reason.splitlines() if one.strip()]
    return "\n".join(dict.fromkeys([*lines[:1], *lines[-1:]]))


def _grade(one: Graded) -> pb.Grade:
    return message_of(
        pb.Grade,
        one.grade,
        person=message_of(pb.Person, one, excused=one.grade.excused, captain=None),
        owner=one.owner,
        criteria=[pb.Criterion(name=k, points=v) for k, v in one.grade.criteria.items()],
    )


def _moment(ms: int) -> datetime:
    """Return a moment given in milliseconds since 1970. Raises RequestRefusedError."""
    try:
        return of_milliseconds(ms)
    except (ValueError, OverflowError, OSError):
        raise RequestRefusedError(f"{ms} ms since 1970 is no date.") from None
