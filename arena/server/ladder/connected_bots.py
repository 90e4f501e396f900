"""Connected bots as the director sees them: their free places and recent reliability."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from arena.scheduling.ladder import Candidate
from arena.server.play.ports import ChallengePolicy, Participant

FIRST_PAUSE_SECONDS = 5.0
"""How long a bot is excluded after its first miss; doubled with each further miss in a row."""
LONGEST_PAUSE_SECONDS = 300.0
SILENCE_SECONDS = 30.0
"""How long a copy that ignored an offer gets no offers while it sends no message.

It is the longest time until a frozen connection, which does not answer pings, is closed.
"""
NONE_DECLINED: Final[Mapping[str, float]] = MappingProxyType({})
"""The shared empty mapping for all versions without an instance that declined."""
_ENOUGH_DOUBLINGS = 10
"""The number of doublings that reaches the longest pause.

A bot may miss thousands of matches, and a power that large does not fit a float.
"""


@dataclass(slots=True)
class Reliability:
    """The recent reliability of a version, kept across its connections."""

    misses: int = 0
    not_before: float = 0.0
    declined_until: Mapping[str, float] = field(default_factory=lambda: NONE_DECLINED)
    """The time until which each instance that declined gets no offers; other copies play on."""
    no_block_before: float = 0.0
    """The time until which no copy begins a block, because one left a block that had begun."""

    def missed(self, now: float) -> float:
        """Count a miss, exclude the version for a while, and return for how many seconds."""
        doublings = min(self.misses, _ENOUGH_DOUBLINGS)
        pause: float = min(FIRST_PAUSE_SECONDS * 2**doublings, LONGEST_PAUSE_SECONDS)
        self.misses += 1
        self.not_before = now + pause
        return pause

    def declined(self, instance: str, now: float, seconds: float) -> float:
        """Record that an instance declined, which is no miss; return when its pause ends."""
        until = now + seconds
        others = {name: end for name, end in self.declined_until.items() if end > now}
        self.declined_until = others | {instance: until}
        return until

    def left_block(self, now: float, seconds: float) -> float:
        """Record that a copy left a block whose opponents it knew; return when the pause ends.

        Until then no copy of the version begins a block.
        """
        self.no_block_before = max(self.no_block_before, now + seconds)
        return self.no_block_before

    def played(self) -> None:
        """Reduce the number of misses by one, after a match without one."""
        self.misses = max(0, self.misses - 1)


@dataclass(eq=False, slots=True)
class ConnectedBot:
    """A connected bot: one copy of a version, with the places that blocks hold of it."""

    participant: Participant
    candidate: Candidate
    reliability: Reliability
    taken: int = 0
    """Places held by blocks."""
    present: bool = True
    unheard_until: float = 0.0
    """The time until which it gets no offers.

    It ignored an offer and has sent no message since.
    """
    draining: bool = False
    """Whether it asked to leave: it then begins no further block."""
    on_probation: bool = False
    """Whether it gets only one place, because it missed a match and has not played since.

    Otherwise one copy of a version that does not read its stream could hold the places of dozens of
    opponents.
    """

    @property
    def name(self) -> str:
        """The bot's name, without its version."""
        return self.participant.registered.entrant.bot

    @property
    def rated(self) -> bool:
        """Whether the bot plays rated matches."""
        return self.participant.challenges is not ChallengePolicy.OWN_ONLY

    @property
    def on_ladder(self) -> bool:
        """Whether the ladder may use the bot: it does not play for tournaments alone."""
        return self.rated and self.participant.registered.ladder

    def takes_offers(self, now: float) -> bool:
        """Return whether it can be offered the next match of a block that it plays in."""
        declined = self.reliability.declined_until
        return (
            self.present
            and self.unheard_until <= now
            and (not declined or declined.get(self.participant.instance, now) <= now)
        )

    def eligible(self, now: float) -> bool:
        """Return whether it is connected, not excluded and not draining."""
        reliability = self.reliability
        if self.draining or reliability.not_before > now or reliability.no_block_before > now:
            return False
        return self.takes_offers(now)

    @property
    def left_out_until(self) -> float:
        """The time at which the exclusions of this bot, for its own or a copy's conduct, end."""
        reliability = self.reliability
        declined = reliability.declined_until.get(self.participant.instance, 0.0)
        return max(
            reliability.not_before, reliability.no_block_before, declined, self.unheard_until
        )

    def free(self, now: float) -> bool:
        """Return whether it can take a seat in another match."""
        return self.free_places(now) > 0

    def free_places(self, now: float) -> int:
        """Return in how many further matches it can take a seat."""
        places = self.participant.max_matches
        if self.on_probation:
            places = min(places, 1)
        left = places - self.taken
        return left if left > 0 and self.eligible(now) else 0


def one_per_version(bots: Iterable[ConnectedBot]) -> list[Candidate]:
    """Return one candidate per version, however many copies of it are connected."""
    seen: dict[int, Candidate] = {}
    for bot in bots:
        seen.setdefault(bot.candidate.bot, bot.candidate)
    return list(seen.values())
