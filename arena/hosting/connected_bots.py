"""Connected bots as the director sees them: their free places and their recent reliability."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from arena.hosting.ports import Participant
from arena.scheduling.ladder import Candidate

FIRST_PAUSE_SECONDS = 5.0
"""How long a bot is left out after its first miss; doubled with each further one in a row."""
LONGEST_PAUSE_SECONDS = 300.0


@dataclass(slots=True)
class Reliability:
    """The recent reliability of a version, kept across its connections."""

    misses: int = 0
    not_before: float = 0.0
    rests: dict[str, float] = field(default_factory=dict)
    """By instance that declined: until when it gets no offers. Other copies are not affected."""

    def miss(self, now: float) -> float:
        """Count a miss. Returns for how many seconds the version gets no offers."""
        pause: float = min(FIRST_PAUSE_SECONDS * 2**self.misses, LONGEST_PAUSE_SECONDS)
        self.misses += 1
        self.not_before = now + pause
        return pause

    def rest(self, instance: str, now: float, seconds: float) -> float:
        """Record that an instance declined, which is not a miss. Returns until when it gets no
        offers."""
        self.rests = {name: until for name, until in self.rests.items() if until > now}
        until = self.rests[instance] = now + seconds
        return until

    def kept(self) -> None:
        """Record a match played without a forfeit: it cancels one miss, not all of them."""
        self.misses = max(0, self.misses - 1)


@dataclass(eq=False, slots=True)
class ConnectedBot:
    """A connected bot."""

    participant: Participant
    candidate: Candidate
    standing: Reliability
    taken: int = 0
    """Places held by blocks."""
    present: bool = True
    on_probation: bool = False
    """After a miss it gets only one place until it has played. Otherwise one copy of a version
    that does not read its stream could hold the places of dozens of opponents."""

    def goes_on(self, now: float) -> bool:
        """Whether it can be offered the next match of a block that it plays in."""
        return self.present and self.standing.rests.get(self.participant.instance, now) <= now

    def welcome(self, now: float) -> bool:
        """Whether it is connected and not paused."""
        return self.goes_on(now) and self.standing.not_before <= now

    def free(self, now: float) -> bool:
        """Whether it can take a seat in another match."""
        places = 1 if self.on_probation else self.participant.max_matches
        return self.welcome(now) and self.taken < places


def seated(bots: Iterable[int], free: Sequence[ConnectedBot]) -> tuple[ConnectedBot, ...]:
    """One free connected bot per version; of several copies the least busy, to spread the load."""
    return tuple(
        min((guest for guest in free if guest.candidate.bot == bot), key=lambda copy: copy.taken)
        for bot in bots
    )


def one_each(guests: Iterable[ConnectedBot]) -> list[Candidate]:
    """One candidate per version, however many copies of it are connected."""
    seen: dict[int, Candidate] = {}
    for guest in guests:
        seen.setdefault(guest.candidate.bot, guest.candidate)
    return list(seen.values())
