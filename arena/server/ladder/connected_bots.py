"""Connected bots as the director sees them: their free places and their recent reliability."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from arena.scheduling.ladder import Candidate
from arena.server.play.ports import ChallengePolicy, Participant

FIRST_PAUSE_SECONDS = 5.0
"""How long a bot is left out after its first miss; doubled with each further one in a row."""
LONGEST_PAUSE_SECONDS = 300.0
SILENCE_SECONDS = 30.0
"""How long a copy that let an offer pass is offered nothing while no message of it comes: as long
as it takes at most to cut a frozen one, which does not answer pings."""
NONE_DECLINED: Final[Mapping[str, float]] = MappingProxyType({})
"""One for all versions of which no instance declined."""
_ENOUGH_DOUBLINGS = 10
"""For the longest pause. A bot may miss thousands of matches, and so large a power is no float."""


@dataclass(slots=True)
class Reliability:
    """The recent reliability of a version, kept across its connections."""

    misses: int = 0
    not_before: float = 0.0
    declined_until: Mapping[str, float] = field(default_factory=lambda: NONE_DECLINED)
    """Until when an instance that declined is offered nothing; its other copies play on."""
    no_block_before: float = 0.0
    """Until when no copy begins a block, because one left a block after its first match."""

    def missed(self, now: float) -> float:
        """Count a miss: for so many seconds the version is left out."""
        doublings = min(self.misses, _ENOUGH_DOUBLINGS)
        pause: float = min(FIRST_PAUSE_SECONDS * 2**doublings, LONGEST_PAUSE_SECONDS)
        self.misses += 1
        self.not_before = now + pause
        return pause

    def declined(self, instance: str, now: float, seconds: float) -> float:
        """Note that an instance declined, which is no miss.

        Returns until when it is offered nothing.
        """
        until = now + seconds
        others = {name: end for name, end in self.declined_until.items() if end > now}
        self.declined_until = others | {instance: until}
        return until

    def left_block(self, now: float, seconds: float) -> float:
        """Note that a copy left a block whose opponents it knew.

        Returns until when no copy begins one.
        """
        self.no_block_before = max(self.no_block_before, now + seconds)
        return self.no_block_before

    def played(self) -> None:
        """Reduce the number of misses by one, after a match without one."""
        self.misses = max(0, self.misses - 1)


@dataclass(eq=False, slots=True)
class ConnectedBot:
    """A connected bot."""

    participant: Participant
    candidate: Candidate
    reliability: Reliability
    taken: int = 0
    """Places held by blocks."""
    present: bool = True
    unheard_until: float = 0.0
    """Until when it is offered nothing, because it let an offer pass and has sent no message
    since."""
    draining: bool = False
    """Whether it asked to leave: it begins no further block."""
    on_probation: bool = False
    """After a miss it gets only one place until it has played. Otherwise one copy of a version
    that does not read its stream could hold the places of dozens of opponents."""

    @property
    def name(self) -> str:
        """The bot's name, without its version."""
        return self.participant.registered.entrant.bot

    @property
    def rated(self) -> bool:
        """Whether it plays rated matches."""
        return self.participant.challenges is not ChallengePolicy.OWN_ONLY

    def takes_offers(self, now: float) -> bool:
        """Whether it can be offered the next match of a block that it plays in."""
        declined = self.reliability.declined_until
        return (
            self.present
            and self.unheard_until <= now
            and (not declined or declined.get(self.participant.instance, now) <= now)
        )

    def eligible(self, now: float) -> bool:
        """Whether it is here, not left out and not leaving."""
        reliability = self.reliability
        if self.draining or reliability.not_before > now or reliability.no_block_before > now:
            return False
        return self.takes_offers(now)

    @property
    def left_out_until(self) -> float:
        """The time from which it is not left out for what it or a copy did or did not do."""
        reliability = self.reliability
        declined = reliability.declined_until.get(self.participant.instance, 0.0)
        return max(
            reliability.not_before, reliability.no_block_before, declined, self.unheard_until
        )

    def free(self, now: float) -> bool:
        """Whether it can take a seat in another match."""
        return self.free_places(now) > 0

    def free_places(self, now: float) -> int:
        """In how many further matches it can take a seat."""
        places = self.participant.max_matches
        if self.on_probation:
            places = min(places, 1)
        left = places - self.taken
        return left if left > 0 and self.eligible(now) else 0


def one_per_version(bots: Iterable[ConnectedBot]) -> list[Candidate]:
    """One candidate per version, however many copies of it are connected."""
    seen: dict[int, Candidate] = {}
    for bot in bots:
        seen.setdefault(bot.candidate.bot, bot.candidate)
    return list(seen.values())
