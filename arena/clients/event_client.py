"""`EventClient`: an UploadClient that also lists events, and enters bots in them."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from arena.bot.address import Address
from arena.clients.upload_client import UploadClient
from arena.v1 import event_pb2 as pb
from arena.v1.event_pb2_grpc import EventServiceStub
from arena.v1.organiser_pb2_grpc import OrganiserServiceStub

ORGANISE_SECONDS: Final = 60.0
"""The deadline of a call of an organiser: grades read many results."""


@dataclass(frozen=True, slots=True)
class EventLimits:
    """What an event allows; None where it sets no limit."""

    members: int | None
    """People of a team, its captain among them."""
    builds: int | None
    """Builds of an entered bot in a day, which begins at midnight UTC."""
    bots: int | None
    """Bots that enter in all."""


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
    """How long it is until the freeze, by the arena's clock."""
    limits: EventLimits
    live: bool
    """Whether the matches of the final are public as they are played."""


@dataclass(frozen=True, slots=True)
class Entered:
    """An entry that the referee took."""

    event: EventSeen
    version: str
    """The one that would play the final now; "" without one."""
    notices: tuple[str, ...]
    """Sentences for its owner: how long builds count, and how many are left today."""


class EventClient(UploadClient):
    """Asks one referee. Threads may share it. Every method raises OwnerCallError."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        # The types of generated stubs are those of grpc.aio as well.
        channel = address.channel()
        self._events: Any = EventServiceStub(channel)
        self._organisers: Any = OrganiserServiceStub(channel)

    def events(self, name: str = "") -> list[EventSeen]:
        """Return the newest events, or the one of a name, newest first."""
        answer = self._ask(self._events.ListEvents, pb.ListEventsRequest(name=name))
        return [event_seen(one) for one in answer.events]

    def enter(self, key: str, event: str, bot: str, *, code: str = "", team: str = "") -> Entered:
        """Enter a bot."""
        request = pb.EnterEventRequest(event=event, bot=bot, code=code, team=team)
        answer = self._ask(self._events.EnterEvent, request, key)
        return Entered(event_seen(answer.event), answer.version, tuple(answer.notices))

    def leave(self, key: str, event: str) -> None:
        """Take the owner's bot out of an event."""
        self._ask(self._events.LeaveEvent, pb.LeaveEventRequest(event=event), key)

    def organise(self, key: str, call: str, request: Any) -> Any:
        """Return the answer to a call of OrganiserService; see OrganiserClient."""
        method = getattr(self._organisers, call)

        def patient(request: Any, timeout: float, metadata: Any) -> Any:
            del timeout
            return method(request, timeout=ORGANISE_SECONDS, metadata=metadata)

        return self._ask(patient, request, key)


def event_seen(one: pb.EventDetails) -> EventSeen:
    """Return an event of a message."""
    return EventSeen(
        one.name,
        one.title,
        one.text,
        pb.EventPhase.Name(one.phase).removeprefix("EVENT_PHASE_").lower(),
        moment(one.opens_ms),
        moment(one.freezes_ms),
        moment(one.final_ms),
        moment(one.results_ms),
        one.entries,
        one.needs_code,
        one.roster_only,
        one.commitment.hex(),
        one.seed.hex(),
        timedelta(milliseconds=one.left_ms),
        EventLimits(one.most_members or None, one.builds_a_day or None, one.most_bots or None),
        one.live,
    )


def moment(milliseconds: int) -> datetime:
    """Return a moment given in milliseconds since 1970."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
