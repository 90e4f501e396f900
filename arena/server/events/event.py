"""`Event`: a course or a contest, its dates, its phase, and the bots that have entered."""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, StrEnum
from typing import Final, NewType

from arena.moments import in_utc
from arena.records import Registered
from arena.scheduling.groups import smallest_group, usual_advance
from arena.scheduling.pairings import FormatError
from arena.server.tournaments.tournament import Rules

EventId = NewType("EventId", int)
MOST_TRIED: Final = 64
"""The most sizes of the field that are tried in search of one that can play a final."""


class Phase(Enum):
    """The phase of an event."""

    ANNOUNCED = "announced"
    OPEN = "open"
    FROZEN = "frozen"
    FINAL = "final"
    """The final is being played, or is over but not released."""
    RELEASED = "released"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Dates:
    """The dates of an event, in order; all have a time zone."""

    opens: datetime
    """When entries open."""
    freezes: datetime
    """When entries close and the builds of the final are fixed."""
    final: datetime
    results: datetime
    """Until then the seed is secret, and so is all of a final that is not live."""

    @property
    def why_refused(self) -> str:
        """Why these dates are not possible; "" if they are."""
        named = {
            "opens": self.opens,
            "freeze": self.freezes,
            "final": self.final,
            "results": self.results,
        }
        for name, moment in named.items():
            if moment.tzinfo is None:
                return f"{name} has no time zone: write it as in 2026-12-01T18:00:00+01:00"
            try:
                moment.astimezone(UTC)
            except OverflowError:
                return f"{name} is not in the years 1 to 9999 of UTC"
        if not self.opens < self.freezes <= self.final <= self.results:
            said = ", ".join(f"{name} {in_utc(moment)}" for name, moment in named.items())
            return f"opens, freeze, final and results must follow each other; they are {said}"
        return ""


@dataclass(frozen=True, slots=True)
class FinalRules(Rules):
    """How the final is played."""

    seed: str = ""
    """The seed of its pairings; "" until it is derived from the seed of the event."""
    rated: bool = False

    def why_never(self) -> str:
        """Return why no number of bots can play it; "" if some can. It may take seconds."""
        if self.groups is not None:
            advance = self.advance or usual_advance(0, self.seats, self.groups)
            # More bots than the fewest only make it longer.
            return self._why_not(self.groups * smallest_group(self.seats, advance))
        why = ""
        for field in range(self.seats, self.seats + MOST_TRIED):
            why = self._why_not(field)
            if not why:
                break
        return why

    def why_too_large(self, field: int) -> str:
        """Return why `field` bots are too many; "" if they are not, or are too few."""
        why = self._why_not(field)
        return why if why and not self._why_not(field - 1) else ""

    def _why_not(self, field: int) -> str:
        try:
            self.plan(field)
        except FormatError as error:
            return str(error)
        return ""


class Admission(StrEnum):
    """Who may enter an event."""

    OPEN = "open"
    """Every owner."""
    CODE = "code"
    """Owners who have the organiser's code, and owners on the roster."""
    ROSTER = "roster"
    """Owners on the roster."""


@dataclass(frozen=True, slots=True)
class EntryLimits:
    """The limits of an event; None where it sets none."""

    members: int | None = None
    """People in a team, including its captain."""
    builds: int | None = None
    """Builds of an entered bot in a day, which begins at midnight UTC; refused ones count."""
    bots: int | None = None
    """Bots in the event."""

    @property
    def in_words(self) -> str:
        """Return the limits in one line; "" if there are none."""
        said = (
            (self.members, "people in a team"),
            (self.builds, "builds of a bot in a day (UTC)"),
            (self.bots, "bots in all"),
        )
        return ", ".join(f"{most} {what}" for most, what in said if most is not None)


@dataclass(frozen=True, slots=True)
class LadderRules:
    """The rules of an event's own ladder, which is separate from the public one."""

    house: tuple[str, ...]
    """The house bots that play on it."""
    pace: int
    """The most matches an hour."""
    enough: int
    """Builds with this many blocks play only as opponents."""


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event as its organiser announces it: title, text, rules, dates."""

    title: str
    text: str
    """Markdown."""
    rules: FinalRules
    dates: Dates
    entry: Admission
    practice: bool
    """Whether entered bots may get new builds between the freeze and the release."""
    limits: EntryLimits = EntryLimits()
    live: bool = False
    """Whether the matches of the final are public as they are handed in, not with the results."""
    ladder: LadderRules | None = None
    """Its own ladder, if it has one."""
    private: bool = False
    """Whether only its members see it: owners who have entered, and owners on its roster."""
    connected: bool = False
    """Whether bots that connect from their owners' machines may enter.

    Then a referee plays the final, as a tournament of seat blocks; otherwise workers play it."""

    def why_full(self, field: int) -> str:
        """Return why `field` bots are too many; "" if they are not."""
        most = self.limits.bots
        if most is not None and field > most:
            return "1 bot may enter" if most == 1 else f"{most} bots may enter"
        return self.rules.why_too_large(field)


@dataclass(frozen=True, slots=True)
class Event:
    """An event as it is stored."""

    id: EventId
    name: str
    terms: NewEvent
    commitment: bytes
    """SHA-256 of the seed of the final."""
    entries: int
    """The number of bots that have entered."""
    frozen_at: datetime | None
    began_at: datetime | None
    ended_at: datetime | None
    """When the last block of the final was played."""
    released_at: datetime | None
    cancelled_at: datetime | None
    why_cancelled: str
    seed: bytes | None
    """The seed, once the results are released."""
    tournament: str | None
    """The name of the final's tournament, once anything of it is public."""

    def is_public(self, now: datetime) -> bool:
        """Return whether the matches of its final that are handed in may be seen."""
        if self.began_at is None or self.cancelled_at is not None:
            return False
        return self.terms.live or self.released_at is not None or self.is_being_released(now)

    def is_being_released(self, now: datetime) -> bool:
        """Return whether its final is over and its results are due, but not yet released."""
        over = self.ended_at is not None and self.released_at is None and not self.cancelled_at
        return over and now >= self.terms.dates.results

    def phase(self, now: datetime) -> Phase:
        """Return the phase of the event."""
        if self.cancelled_at is not None:
            return Phase.CANCELLED
        if self.released_at is not None:
            return Phase.RELEASED
        if self.began_at is not None:
            return Phase.FINAL
        if self.frozen_at is not None or now >= self.terms.dates.freezes:
            return Phase.FROZEN
        return Phase.OPEN if now >= self.terms.dates.opens else Phase.ANNOUNCED


@dataclass(frozen=True, slots=True)
class EventEntry:
    """A bot that has entered an event."""

    bot: str
    owner: str
    team: str
    entered_at: datetime
    version: str | None
    """The version that plays the final; None before the freeze, and if none can."""
    sha256: bytes | None
    """The hash of its build, published by the freeze; None for a connected bot."""
    withdrawn: bool


@dataclass(frozen=True, slots=True)
class Finalist:
    """A bot of a final, with the build (if connected, the version) that the freeze has fixed."""

    registered: Registered
    sha256: bytes | None
    """The hash of its build; None for a connected bot, whose program is not fixed."""
    file_name: str
    withdrawn: bool


@dataclass(frozen=True, slots=True)
class SignedEvent:
    """The event.json of an archive, and the arena's signature of it; the release makes both."""

    text: bytes
    signature: bytes
