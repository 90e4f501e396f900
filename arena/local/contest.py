"""`Contest`: two versions to compare, and how a block of their matches is scored.

two versions alone        the block is a deal, played once in each rotation of the seats; its
                          score is the new version's mean
against opponents         the block is a deal, played in the same seats by the same opponents,
                          once with each version; its score is 1/2 + (new - old) / 2

If a bot is a program that connects, every match of a block has a deal of its own.
"""

from dataclasses import dataclass
from fractions import Fraction

from arena.games.game import AnyGame
from arena.local.deal_blocks import Lineup, NamedBot, PlayedBlock, every_rotation
from arena.match.score_rule import ScoreRule
from arena.scheduling.scoring import points


@dataclass(frozen=True, slots=True)
class Contest:
    """The game and the bots of a test."""

    game: AnyGame
    new: NamedBot
    old: NamedBot
    opponents: tuple[NamedBot, ...]
    score: ScoreRule

    def lineups(self) -> tuple[Lineup, ...]:
        """Return the line-ups of a block's matches."""
        if not self.opponents:
            return every_rotation([self.new, self.old])
        # In a block both versions have the same seat; bots move on by one seat with each block.
        return tuple(
            Lineup((version, *self.opponents), moves_on=True) for version in (self.new, self.old)
        )

    def block_score(self, block: PlayedBlock) -> Fraction:
        """Return the score of a block, from 0 to 1; 1/2 means no difference."""
        first, second = (
            points(match.result.placing, self.score)[match.contenders.index(0)] for match in block
        )
        if self.opponents:
            return Fraction(1, 2) + (first - second) / 2
        return (first + second) / 2

    def names(self, match: int) -> list[str]:
        """Return the names of the bots in a match of a block."""
        return [entry.name for entry in self.lineups()[match].entries]
