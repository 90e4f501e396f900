"""`EventClient`: an UploadClient that also handles events, and webhooks of the owner's bots."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from arena.bot.address import Address
from arena.clients.upload_client import UploadClient
from arena.codec.mirrored import value_of
from arena.codec.transcript import from_message, read_entrant
from arena.match.transcript import Entrant, Transcript
from arena.v1 import event_pb2 as pb
from arena.v1 import webhook_pb2
from arena.v1.event_pb2_grpc import EventServiceStub
from arena.v1.organiser_pb2_grpc import OrganiserServiceStub
from arena.v1.webhook_pb2_grpc import WebhookServiceStub

ORGANISE_SECONDS: Final = 60.0
"""The deadline of an organiser's call, long because grading reads many results."""


@dataclass(frozen=True, slots=True)
class EventLimits:
    """The limits of an event; None where it sets none."""

    members: int | None
    """People in a team, including its captain."""
    builds: int | None
    """Builds of an entered bot in a day, which begins at midnight UTC."""
    bots: int | None
    """Entered bots in total."""


@dataclass(frozen=True, slots=True)
class EventSeen:
    """An event, as everybody sees it."""

    name: str
    title: str
    text: str
    phase: str
    """announced, open, frozen, final, released or cancelled."""
    opens: datetime
    freezes: datetime
    final: datetime
    results: datetime
    entries: int
    needs_code: bool
    roster_only: bool
    commitment: str
    """In hexadecimal digits."""
    seed: str
    """In hexadecimal digits; "" until the results are released."""
    left: timedelta
    """The time until the freeze, by the arena's clock."""
    limits: EventLimits
    live: bool
    """Whether the matches of the final are public as they are played."""
    ladder: bool
    """Whether it has a ladder of its own."""
    private: bool
    """Whether only its members see it."""
    connected: bool
    """Whether bots that connect from their owners' machines may enter."""


@dataclass(frozen=True, slots=True)
class EventRating:
    """A line of the standings on the ladder of an event."""

    entrant: Entrant
    house: bool
    elo: float
    """The Elo relative to the mean of all."""
    interval: tuple[float, float]
    """The 95 % interval of the Elo."""
    rank_low: int
    """The best rank that is not excluded at 95 %."""
    rank_high: int
    matches: int


@dataclass(frozen=True, slots=True)
class EventPlace:
    """A line of the standings of a final."""

    place: int
    entrant: Entrant
    points: float
    margin: float | None
    """Half the width of the points' 95 % interval, in a round robin; else None."""


@dataclass(frozen=True, slots=True)
class EventMatch:
    """A match of an event."""

    match_id: str
    block: int
    ended: datetime
    """When its block ended."""
    seats: tuple[tuple[Entrant, int], ...]
    """The entrants and their placings, by seat."""
    kept: bool
    """Whether its transcript is kept."""


@dataclass(frozen=True, slots=True)
class Entered:
    """An entry that the referee accepted."""

    event: EventSeen
    version: str
    """The version that would play the final now; "" if there is none."""
    notices: tuple[str, ...]
    """Sentences for its owner: until when builds count, and how many are left today."""


@dataclass(frozen=True, slots=True)
class WebhookSeen:
    """A webhook of an owner."""

    url: str
    bot: str
    """The bot whose notices it gets; "" for all of the owner's bots."""
    delivered: int
    waiting: int
    """The number of notices whose delivery will be retried."""
    failure: str
    """The reason of the last failed attempt."""


class EventClient(UploadClient):
    """A client of one referee, which threads may share. Every method raises OwnerCallError."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        # Any, because generated stubs are also typed for grpc.aio.
        channel = address.channel()
        self._events: Any = EventServiceStub(channel)
        self._organisers: Any = OrganiserServiceStub(channel)
        self._hooks: Any = WebhookServiceStub(channel)

    def events(self, name: str = "", *, key: str = "") -> list[EventSeen]:
        """Return the newest events, newest first, or only the event `name`.

        With an owner's `key`, here and below, this includes private events of which the owner is a
        member.
        """
        answer = self._ask(self._events.ListEvents, pb.ListEventsRequest(name=name), key or None)
        return [event_seen(one) for one in answer.events]

    def ladder(self, event: str, *, key: str = "") -> list[EventRating]:
        """Return the standings on the ladder of an event, best first."""
        request = pb.GetEventLadderRequest(event=event)
        return [
            value_of(
                EventRating,
                one,
                entrant=read_entrant(one.entrant),
                interval=(one.elo_low, one.elo_high),
            )
            for one in self._ask(self._events.GetEventLadder, request, key or None).lines
        ]

    def event_standings(self, event: str, *, key: str = "") -> list[EventPlace]:
        """Return the standings of a released final, best first."""
        request = pb.GetEventStandingsRequest(event=event)
        return [
            value_of(EventPlace, one, entrant=read_entrant(one.entrant))
            for one in self._ask(self._events.GetEventStandings, request, key or None).lines
        ]

    def event_matches(
        self, event: str, *, bot: str = "", before: int = 0, final: bool = False, key: str = ""
    ) -> list[EventMatch]:
        """Return matches on the ladder of an event, or of its private final; newest blocks first.

        Only matches of `bot`, and of blocks before number `before`, if given.
        """
        request = pb.ListEventMatchesRequest(event=event, bot=bot, before_block=before, final=final)
        return [
            value_of(
                EventMatch,
                one,
                seats=tuple((read_entrant(seat.entrant), seat.placing) for seat in one.seats),
            )
            for one in self._ask(self._events.ListEventMatches, request, key or None).matches
        ]

    def event_transcript(self, event: str, match_id: str, *, key: str = "") -> Transcript:
        """Return the transcript of a match of an event."""
        request = pb.GetEventTranscriptRequest(event=event, match_id=match_id)
        return from_message(
            self._ask(self._events.GetEventTranscript, request, key or None).transcript
        )

    def enter(self, key: str, event: str, bot: str, *, code: str = "", team: str = "") -> Entered:
        """Enter a bot in an event."""
        request = pb.EnterEventRequest(event=event, bot=bot, code=code, team=team)
        answer = self._ask(self._events.EnterEvent, request, key)
        return value_of(Entered, answer, event=event_seen(answer.event))

    def leave(self, key: str, event: str) -> None:
        """Withdraw the owner's bot from an event."""
        self._ask(self._events.LeaveEvent, pb.LeaveEventRequest(event=event), key)

    def organise(self, key: str, call: str, request: Any) -> Any:
        """Return the answer to a call of OrganiserService; see OrganiserClient."""
        return self._ask(getattr(self._organisers, call), request, key, ORGANISE_SECONDS)

    def add_webhook(self, key: str, url: str, bot: str = "") -> str:
        """Send notices of a bot, or of all bots, to a URL; return the secret that signs them."""
        request = webhook_pb2.AddWebhookRequest(url=url, bot=bot)
        secret: str = self._ask(self._hooks.AddWebhook, request, key).secret
        return secret

    def webhooks(self, key: str) -> list[WebhookSeen]:
        """Return the owner's webhooks, the oldest first."""
        answer = self._ask(self._hooks.ListWebhooks, webhook_pb2.ListWebhooksRequest(), key)
        return [value_of(WebhookSeen, one) for one in answer.webhooks]

    def remove_webhook(self, key: str, url: str, bot: str = "") -> None:
        """Stop sending notices of a bot, or of all bots, to a URL."""
        request = webhook_pb2.RemoveWebhookRequest(url=url, bot=bot)
        self._ask(self._hooks.RemoveWebhook, request, key)


def event_seen(one: pb.EventDetails) -> EventSeen:
    """Return the event in a message."""
    members, builds = one.most_members or None, one.builds_a_day or None
    return value_of(
        EventSeen,
        one,
        phase=pb.EventPhase.Name(one.phase).removeprefix("EVENT_PHASE_").lower(),
        commitment=one.commitment.hex(),
        seed=one.seed.hex(),
        left=timedelta(milliseconds=one.left_ms),
        limits=EventLimits(members, builds, one.most_bots or None),
    )
