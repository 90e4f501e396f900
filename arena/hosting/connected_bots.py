"""Connected bots as the director knows them: their places, and how reliable they have been."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from arena.hosting.ports import Participant
from arena.scheduling.ladder import Candidate

FIRST_PAUSE_SECONDS = 5.0
"""How long a bot is left out after its first miss; doubled with each further one in a row."""
LONGEST_PAUSE_SECONDS = 300.0


@dataclass(slots=True)
class Reliability:
    """How reliable a version has been lately; outlives its connections."""

    misses: int = 0
    not_before: float = 0.0
    rests: dict[str, float] = field(default_factory=dict)
    """Until when an instance that declined is offered nothing; its other copies play on."""

    def miss(self, now: float) -> float:
        """Count a miss: for so many seconds the version is left out."""
        pause: float = min(FIRST_PAUSE_SECONDS * 2**self.misses, LONGEST_PAUSE_SECONDS)
        self.misses += 1
        self.not_before = now + pause
        return pause

    def rest(self, instance: str, now: float, seconds: float) -> float:
        """An instance declined, which is no miss. Returns until when it is offered nothing."""
        self.rests = {name: until for name, until in self.rests.items() if until > now}
        until = self.rests[instance] = now + seconds
        return until

    def kept(self) -> None:
        """A match was played as it should be: a miss is made good by one, not all at once."""
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
    draining: bool = False
    """It asked to leave: it begins no further block."""
    on_probation: bool = False
    """After a miss it gets one place, until it has played: of several copies of a version, one
    that does not read would else hold the places of dozens of opponents."""

    def goes_on(self, now: float) -> bool:
        """Whether it can be offered the next match of a block that it plays in."""
        return self.present and self.standing.rests.get(self.participant.instance, now) <= now

    def welcome(self, now: float) -> bool:
        """Whether it is here and not left out."""
        return self.goes_on(now) and not self.draining and self.standing.not_before <= now

    def free(self, now: float) -> bool:
        """Whether it could sit down."""
        places = 1 if self.on_probation else self.participant.max_matches
        return self.welcome(now) and self.taken < places


def seated(bots: Iterable[int], free: Sequence[ConnectedBot]) -> tuple[ConnectedBot, ...]:
    """One free guest of each version: of several copies the idlest, so that they share its load."""
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
