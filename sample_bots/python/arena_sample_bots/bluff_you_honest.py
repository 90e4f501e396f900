"""Bluff You!: a bot that tells the truth whenever it can, and never believes.

If its sum cannot be announced, and it cannot swap instead, it announces the likeliest number of the
centre. It ignores what others announce: no sum of three dice is likelier than one in eight, so it
never believes.
"""

from collections import Counter
from itertools import product

from arena.bot import Bot, Turn, run
from arena.games.bluff_you import (
    CHIPS,
    Answer,
    BluffYouChoice,
    BluffYouEvent,
    BluffYouOptions,
    BluffYouPhase,
    BluffYouView,
    Give,
    Steal,
    Stop,
    Swap,
    Take,
    Win,
)

WAYS = Counter(map(sum, product(range(1, 7), repeat=3)))
"""The number of the 216 rolls of three dice that make each sum."""


class BluffYouHonest(Bot[BluffYouView, BluffYouChoice, BluffYouEvent, BluffYouOptions]):
    """A bot that tells the truth whenever it can, and never believes."""

    games = ("bluff_you",)

    def act(
        self, turn: Turn[BluffYouView, BluffYouChoice, BluffYouEvent, BluffYouOptions]
    ) -> BluffYouChoice:
        """Return the choice for any phase of Bluff You!."""
        choices = list(turn.choices())
        points = dict(zip(CHIPS, turn.game.options.chip_points, strict=True))
        match turn.view.phase:
            case BluffYouPhase.ANSWER:
                return Answer(believe=False)
            case BluffYouPhase.GIVE:
                gifts = [choice for choice in choices if isinstance(choice, Give)]
                return min(gifts, key=lambda gift: points[gift.number])
            case BluffYouPhase.TAKE:
                chips = [choice for choice in choices if isinstance(choice, Take)]
                return max(chips, key=lambda chip: points[chip.number])
            case BluffYouPhase.SWAP_AGAIN:
                return Stop()
            case _:
                return self.announce(choices, sum(turn.view.dice))

    def announce(self, choices: list[BluffYouChoice], rolled: int) -> Win | Steal | Swap:
        """Return the truth if possible, else a swap if possible, else the likeliest number."""
        said = [choice for choice in choices if isinstance(choice, Win | Steal)]
        true = [choice for choice in said if choice.number == rolled]
        swaps = [choice for choice in choices if isinstance(choice, Swap)]
        wins = [choice for choice in said if isinstance(choice, Win)]
        most = max(WAYS[win.number] for win in wins)
        likeliest = [win for win in wins if WAYS[win.number] == most]
        return self.random.choice(true or swaps or likeliest)


if __name__ == "__main__":
    run(BluffYouHonest)
