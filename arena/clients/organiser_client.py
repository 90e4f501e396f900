"""`OrganiserClient`: all calls of an organiser of events.

Owners call a referee, through `EventClient.organise`; commands on the arena's own machine answer
the same calls themselves, for the operator.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from arena.builds.hosted import BuildState
from arena.clients.event_client import EventSeen, event_seen
from arena.clients.upload_client import BUILD_STATES
from arena.codec.mirrored import message_of, value_of
from arena.codec.transcript import from_message
from arena.database.keys import new_key, token_hash
from arena.match.transcript import Transcript
from arena.moments import milliseconds
from arena.server.events.event import SignedEvent
from arena.server.events.grade_forms import EventGrade, Graded
from arena.server.events.roster_file import Enrollee
from arena.v1 import organiser_pb2 as pb

Ask = Callable[[str, Any], Any]
"""A function that returns the answer to a call of OrganiserService, by name. Raises UserError."""


@dataclass(frozen=True, slots=True)
class PersonSeen:
    """A person of a roster."""

    number: int
    name: str
    email: str
    student_number: str
    captain: bool
    excused: bool


@dataclass(frozen=True, slots=True)
class ParticipantSeen:
    """An owner on the roster of an event, or who has entered; "" and None mean "none"."""

    owner: str
    bot: str
    team: str
    entered: datetime | None
    version: str
    """The version that was fixed at the freeze."""
    sha256: str
    withdrawn: bool
    plays: str
    """The version that plays now."""
    newest: str
    """The version of the newest build."""
    state: BuildState | None
    reason: str
    """Why the newest build was refused: the first and the last line of the reason."""
    last_seen: datetime | None
    matches: int
    faults: int
    people: tuple[PersonSeen, ...]
    elo: float | None = None
    """The Elo of the build that plays, on the event's own ladder."""

    @property
    def connected(self) -> bool:
        """Whether a connected version plays the final, or would if the freeze were now."""
        return bool(self.version or self.plays) and not (self.sha256 or self.newest)

    @property
    def has_build(self) -> bool:
        """Whether a version of it plays the final, or would if the freeze were now."""
        return bool(self.version or self.plays) and not self.withdrawn


@dataclass(frozen=True, slots=True)
class LastCheck:
    """The newest build of a bot, and its last check."""

    version: str
    state: BuildState | None
    reason: str
    log: str


@dataclass(frozen=True, slots=True)
class NewKey:
    """A person to add to a roster, with a new key, which cannot be read again later."""

    person: Enrollee
    owner: str
    captain: bool
    key: str


@dataclass(frozen=True, slots=True)
class ProgressSeen:
    """The progress of the final of an event, in deal blocks."""

    event: EventSeen
    bots: int
    """The number of bots that play it, or would if the freeze were now."""
    blocks: int
    """The total number of blocks, as far as known: a knockout may need extra blocks."""
    matches: int
    played: int
    playing: int
    walkovers: int
    """Pairings that were decided without play."""
    left: timedelta | None
    """The time until its end at the pace so far. Before it begins: the time in one slot with bots
    that answer at once. None if unknown."""
    why_not: str
    """Why these bots cannot play it; "" if they can."""
    ended: datetime | None
    """When the last block was played."""


@dataclass(frozen=True, slots=True)
class EventWebhook:
    """A webhook of an event."""

    url: str
    delivered: int
    waiting: int
    """The number of notices whose delivery will be retried."""
    failure: str
    """The reason of the last failed attempt."""


class OrganiserClient:
    """The calls of an organiser. Every method raises UserError."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def events(self) -> tuple[list[EventSeen], bool]:
        """Return the caller's events, newest first, and whether the caller may create more."""
        answer = self._ask("ListOrganisedEvents", pb.ListOrganisedEventsRequest())
        return [event_seen(one) for one in answer.events], answer.may_create

    def create(self, name: str, toml: str) -> tuple[EventSeen, str]:
        """Create an event from the text of an event.toml; return it and its code, or ""."""
        answer = self._ask("CreateEvent", pb.CreateEventRequest(name=name, toml=toml))
        return event_seen(answer.event), answer.code

    def move(
        self,
        event: str,
        *,
        opens: datetime | None = None,
        freezes: datetime | None = None,
        final: datetime | None = None,
        results: datetime | None = None,
    ) -> EventSeen:
        """Move dates of an event; None keeps a date. All dates have a time zone."""
        request = pb.MoveEventRequest(
            event=event,
            opens_ms=_milliseconds(opens),
            freezes_ms=_milliseconds(freezes),
            final_ms=_milliseconds(final),
            results_ms=_milliseconds(results),
        )
        return event_seen(self._ask("MoveEvent", request).event)

    def cancel(self, event: str, why: str) -> None:
        """End an event for good, without results."""
        self._ask("CancelEvent", pb.CancelEventRequest(event=event, why=why))

    def withdraw(self, event: str, bot: str) -> None:
        """Withdraw a bot from an event."""
        self._ask("WithdrawBot", pb.WithdrawBotRequest(event=event, bot=bot))

    def participants(self, event: str) -> tuple[EventSeen, list[ParticipantSeen]]:
        """Return the event and its participants: entered ones first, then the others by name."""
        answer = self._ask("ListParticipants", pb.ListParticipantsRequest(event=event))
        return event_seen(answer.event), [_participant(one) for one in answer.participants]

    def last_check(self, event: str, bot: str) -> LastCheck:
        """Return the newest build of a bot that has entered, and its last check."""
        answer = self._ask("GetLastCheck", pb.GetLastCheckRequest(event=event, bot=bot))
        return value_of(LastCheck, answer, state=_state(answer.state))

    def new_keys(self, event: str, people: Sequence[Enrollee]) -> tuple[EventSeen, list[NewKey]]:
        """Return new keys for the given people who are not on the roster yet; change nothing.

        Store the keys before you `enroll` the people.
        """
        answer = self._enroll(event, [(one, new_key()) for one in people], only_tell=True)
        keys = [
            NewKey(people[one.index], one.owner, one.captain, new_key()) for one in answer.added
        ]
        return event_seen(answer.event), keys

    def enroll(self, event: str, keys: Sequence[NewKey]) -> list[NewKey]:
        """Add people with their keys; return those who were added, as they were not there yet."""
        if not keys:
            return []
        answer = self._enroll(event, [(one.person, one.key) for one in keys], only_tell=False)
        return [
            NewKey(keys[one.index].person, one.owner, one.captain, keys[one.index].key)
            for one in answer.added
        ]

    def move_person(self, event: str, person: str, team: str) -> None:
        """Move a person to another team, with the person's key."""
        self._ask("MovePerson", pb.MovePersonRequest(event=event, person=person, team=team))

    def remove_person(self, event: str, person: str) -> None:
        """Remove a person, whose key becomes invalid."""
        self._ask("RemovePerson", pb.RemovePersonRequest(event=event, person=person))

    def excuse_person(self, event: str, person: str, *, excused: bool = True) -> None:
        """Excuse a person from the grades, or undo that."""
        request = pb.ExcusePersonRequest(event=event, person=person, undo=not excused)
        self._ask("ExcusePerson", request)

    def progress(self, event: str) -> ProgressSeen:
        """Return the progress of the final of an event."""
        answer = self._ask("GetProgress", pb.GetProgressRequest(event=event))
        left = timedelta(milliseconds=answer.left_ms) if answer.HasField("left_ms") else None
        return value_of(ProgressSeen, answer, event=event_seen(answer.event), left=left)

    def grades(self, event: str, rubric: str) -> tuple[EventSeen, list[Graded], list[str]]:
        """Return the event, the grades, and the bots without analysed decisions."""
        answer = self._ask("GetGrades", pb.GetGradesRequest(event=event, rubric=rubric))
        grades = [_graded(one) for one in answer.grades]
        return event_seen(answer.event), grades, list(answer.not_analysed)

    def message(self, event: str, text: str, owners: Sequence[str]) -> None:
        """Send a message to participants, by the names of their owners."""
        self._ask("SendMessage", pb.SendMessageRequest(event=event, text=text, owners=owners))

    def add_webhook(self, event: str, url: str) -> str:
        """Send an event's notices to a URL; return the secret that signs them."""
        request = pb.AddEventWebhookRequest(event=event, url=url)
        secret: str = self._ask("AddEventWebhook", request).secret
        return secret

    def remove_webhook(self, event: str, url: str) -> None:
        """Stop sending an event's notices to a URL."""
        self._ask("RemoveEventWebhook", pb.RemoveEventWebhookRequest(event=event, url=url))

    def webhooks(self, event: str) -> list[EventWebhook]:
        """Return the webhooks of an event that the caller may change, oldest first."""
        answer = self._ask("ListEventWebhooks", pb.ListEventWebhooksRequest(event=event))
        return [value_of(EventWebhook, one) for one in answer.webhooks]

    def archived_event(self, event: str) -> SignedEvent:
        """Return the signed document about a released event from its archive."""
        text = bytearray()
        while True:
            request = pb.GetArchivedEventRequest(event=event, offset=len(text))
            answer = self._ask("GetArchivedEvent", request)
            text += answer.part
            if len(text) >= answer.size or not answer.part:
                return SignedEvent(bytes(text), answer.signature)

    def archived_transcripts(self, event: str) -> Iterator[Transcript]:
        """Yield the transcripts in the archive of a released event, in the archive's order."""
        after = 0
        while True:
            request = pb.ListArchivedTranscriptsRequest(event=event, after=after)
            found = self._ask("ListArchivedTranscripts", request).transcripts
            if not found:
                return
            yield from map(from_message, found)
            after += len(found)

    def _enroll(
        self, event: str, people: Sequence[tuple[Enrollee, str]], *, only_tell: bool
    ) -> pb.EnrollPeopleResponse:
        lines = [
            message_of(pb.NewPerson, person, key_sha256=token_hash(key)) for person, key in people
        ]
        request = pb.EnrollPeopleRequest(event=event, people=lines, only_tell=only_tell)
        answer: pb.EnrollPeopleResponse = self._ask("EnrollPeople", request)
        return answer


def _participant(one: pb.Participant) -> ParticipantSeen:
    return value_of(
        ParticipantSeen,
        one,
        sha256=one.sha256.hex(),
        state=_state(one.state),
        people=tuple(value_of(PersonSeen, person) for person in one.people),
    )


def _state(number: int) -> BuildState | None:
    return BUILD_STATES[number] if number else None


def _graded(one: pb.Grade) -> Graded:
    person, criteria = one.person, {part.name: part.points for part in one.criteria}
    return Graded(
        *(person.number, person.name, person.email, person.student_number, one.owner),
        EventGrade(one.points, one.most, one.explained, criteria, person.excused),
    )


def _milliseconds(given: datetime | None) -> int | None:
    return None if given is None else milliseconds(given)
