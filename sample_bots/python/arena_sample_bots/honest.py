"""Bluff: a bot that plays what is most likely to be right, given only its own dice.

Every die it cannot see shows a wanted number with probability 1/3 (the number or the star) and the
star with 1/6, so the number of matching dice is binomial. It ignores the others' bets and never
bluffs.
"""

from collections.abc import Sequence
from functools import cache
from math import comb

from arena.bot import Bot, Turn, run
from arena.games.bluff import STAR, Bet, BluffView, Doubt, Face

OPENS_AT = 0.6
"""The least probability of an opening bet: the bot opens with the highest bet this likely."""


class Honest(Bot[BluffView, Bet | Doubt]):
    """A bot that plays what is most likely to be right, given only its own dice."""

    def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Bet | Doubt:
        """Return the bet or doubt that is most likely to be right."""
        best = best_actions(turn.view)
        return best[0] if isinstance(best[0], Doubt) else self.random.choice(best)

    def probabilities(self, turn: Turn[BluffView, Bet | Doubt]) -> dict[Bet | Doubt, float]:
        """Return the same probability for all best actions."""
        best = best_actions(turn.view)
        return dict.fromkeys(best, 1 / len(best))


def best_actions(view: BluffView) -> Sequence[Bet | Doubt]:
    """Return the actions that are most likely to be right: the doubt alone, or some bets."""
    if not view.can_doubt:
        return openings(view)
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
        return [Doubt()]
    return [bet for chance, bet in bets if chance == best]


def openings(view: BluffView) -> list[Bet]:
    """Return the highest bets that are likely enough."""
    likely = [
        Bet(quantity, face)
        for face in Face
        for quantity in range(1, sum(view.dice_counts) + 1)
        if quantity == 1 or likelihood(view, face, quantity) >= OPENS_AT
    ]
    top = max(map(field, likely))
    return [bet for bet in likely if field(bet) == top]


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


if __name__ == "__main__":
    run(Honest)
