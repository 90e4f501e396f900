"""A bot for Bluff, Bluff You! and Blöff that plays what is likeliest, given what it sees.

This is the file to change. The package `arena.bot` talks to the referee and verifies every match.
"""

from collections import Counter
from functools import cache
from itertools import product
from math import comb
from typing import Any

from arena.bot import AnyAction, Bot, Turn, run
from arena.games.bloeff import (
    NUMBER_CARDS,
    Ballot,
    BloeffChoice,
    BloeffEvent,
    BloeffOptions,
    BloeffView,
    Number,
)
from arena.games.bloeff import Action as ActionCard
from arena.games.bluff import STAR, Bet, BluffView, Doubt, Face
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


class Honest(Bot):
    """A bot in one seat of one match: what it keeps in `self` belongs to that match."""

    games = ("bluff", "bluff_you", "bloeff")
    max_matches = 16

    def act(self, turn: Turn[Any, Any, Any, Any]) -> AnyAction:
        """Return the answer to a turn.

        An exception counts as a malformed answer: a fault.
        """
        match turn.view:
            case BluffView():
                return self.bluff(turn.view)
            case BluffYouView():
                return self.bluff_you(turn)
            case _:
                return self.bloeff(turn)

    # Bluff

    def bluff(self, view: BluffView) -> Bet | Doubt:
        """Return the bet or doubt that is most likely to be right."""
        if not view.can_doubt:
            return self.opening(view)
        standing = view.bets[-1].bet
        doubt = 1 - likelihood(view, standing.face, standing.quantity)
        # On each face the lowest bet is the most likely one, so six bets are enough.
        bets = [
            (likelihood(view, face, view.lowest[face - 1]), Bet(view.lowest[face - 1], face))
            for face in Face
            if view.lowest[face - 1] <= view.highest
        ]
        best = max((chance for chance, _ in bets), default=0.0)
        if doubt >= best:
            return Doubt()
        return self.random.choice([bet for chance, bet in bets if chance == best])

    def opening(self, view: BluffView) -> Bet:
        """Return the highest bet that is likely enough."""
        likely = [
            Bet(quantity, face)
            for face in Face
            for quantity in range(1, sum(view.dice_counts) + 1)
            if quantity == 1 or likelihood(view, face, quantity) >= OPENS_AT
        ]
        top = max(map(field, likely))
        return self.random.choice([bet for bet in likely if field(bet) == top])

    # Bluff You!

    def bluff_you(
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

    # Blöff

    def bloeff(
        self, turn: Turn[BloeffView, BloeffChoice, BloeffEvent, BloeffOptions]
    ) -> BloeffChoice:
        """Return an honest play if possible; doubt only what cannot be true."""
        view, options = turn.view, turn.game.options
        if view.balloted is not None:
            return Ballot(could_be(view, options, view.balloted.total) == 0)
        # Calling is never a mistake.
        plays = [play for play in turn.choices() if not isinstance(play, Ballot) and play.call]
        numbers = [play for play in plays if isinstance(play, Number)]
        honest = [play for play in numbers if play.announce == makes(view, options, play.value)]
        safe = [play for play in honest if play.announce <= view.limit]
        if safe:
            return max(safe, key=lambda play: play.value)
        others = [play for play in plays if not isinstance(play, Number)]
        if others:
            # A reverse is worth least: it costs no seat a card or a turn.
            turned = [play for play in others if isinstance(play, ActionCard)]
            return self.random.choice(turned or others)
        return min(honest or numbers, key=lambda play: (play.announce, play.value))


OPENS_AT = 0.6
"""The least probability of an opening bet: the bot opens with the highest bet this likely."""


def field(bet: Bet) -> int:
    """Return the place of a bet on the track: star n lies between the numbers 2n - 1 and 2n."""
    return 4 * bet.quantity - 1 if bet.face is STAR else 2 * bet.quantity


def likelihood(view: BluffView, face: Face, quantity: int) -> float:
    """Return the probability that at least `quantity` of all dice match `face`."""
    seen = view.hidden_dice + sum(view.face_up, ())
    matching = seen.count(STAR) if face is STAR else seen.count(STAR) + seen.count(face)
    unseen = sum(view.dice_counts) - len(seen)
    return at_least(quantity - matching, unseen, 1 / 6 if face is STAR else 1 / 3)


@cache
def at_least(wanted: int, dice: int, chance: float) -> float:
    """Return the probability that `wanted` or more of `dice` dice match."""
    return sum(
        comb(dice, count) * chance**count * (1 - chance) ** (dice - count)
        for count in range(max(0, wanted), dice + 1)
    )


WAYS = Counter(map(sum, product(range(1, 7), repeat=3)))
"""The number of the 216 rolls of three dice that make each sum."""


def makes(view: BloeffView, options: BloeffOptions, value: int) -> int:
    """Return the honest total of a number card."""
    total = view.total + value
    return max(0, total) if options.below_zero == "floor" else total


def could_be(view: BloeffView, options: BloeffOptions, total: int) -> int:
    """Return how many cards that this seat has not seen would make the announced total honest."""
    seen = [*view.hand, *view.seen, *view.face_down]
    return sum(
        row.count - seen.count(row.card)
        for row in options.deck
        if row.card in NUMBER_CARDS and makes(view, options, row.card) == total
    )


if __name__ == "__main__":
    run(Honest)
