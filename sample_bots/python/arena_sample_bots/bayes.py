"""A bot that values every action by its expected share of all dice after the round.

Three things enter:

1. Beliefs. A seat that bets on a face probably holds it, so its unseen dice are tilted
   towards the faces it has bet on in this round. How many it holds is weighed by Bayes' rule: the
   likelier a bet is to be true with the seat's dice, the likelier the seat makes it.
2. A model of the next seat: it doubts when the bet looks unlikely from its own dice. So the value
   of a bet follows from the outcomes in exactly those cases in which it will be doubted.
3. The stakes: a seat loses as many dice as the bet was wrong by, and fewer dice in play make the
   remaining ones worth more.
"""

from functools import cache, lru_cache
from math import comb

from arena.bot import Bot, Turn, run
from arena.games.bluff import STAR, Bet, BluffView, Doubt, Face

TILT = 4.0
"""The factor by which a die is likelier to show a face after its owner bet on it."""
CANDOUR = 0.5
"""A seat is taken to make a bet with a probability proportional to the probability, by its dice,
that the bet is true, raised to this power: 0 if seats bet whatever they hold.
"""
TRUSTS = 0.55
"""The probability, from its own dice, below which the next seat doubts a bet."""
PRESSURE = 0.06
"""The value of not being doubted: another seat must then bet higher, or doubt."""
REACH = 6
"""The number of quantities of each face, from the lowest, that are examined."""

Distribution = tuple[float, ...]
"""The probabilities of 0, 1, 2, … matching dice."""


class Bayes(Bot[BluffView, Bet | Doubt]):
    """A bot that values every action by its expected share of all dice after the round."""

    def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Bet | Doubt:
        """Return an action with the highest expected share, a random one of several."""
        return self.random.choice(best_actions(turn.view, turn.seat))

    def probabilities(self, turn: Turn[BluffView, Bet | Doubt]) -> dict[Bet | Doubt, float]:
        """Return the same probability for all actions with the highest expected share."""
        best = best_actions(turn.view, turn.seat)
        return dict.fromkeys(best, 1 / len(best))


def best_actions(view: BluffView, seat: int) -> list[Bet | Doubt]:
    """Return the actions with the highest expected share."""
    table, known = Table(view, seat), known_worths(view._replace(hidden_dice=()), seat)
    worths: list[tuple[float, Bet | Doubt]] = []
    for face in Face:
        holding = face, matching(table.seen, face)
        if holding not in known:
            known[holding] = table.worths_of_bets(face)
        worths += known[holding]
    if view.can_doubt:
        worths.append((table.worth_of_doubt(), Doubt()))
    best = max(worth for worth, _ in worths)
    return [action for worth, action in worths if worth == best]


@lru_cache(maxsize=16)
def known_worths(
    public: BluffView,  # noqa: ARG001  the key of the cache
    seat: int,  # noqa: ARG001
) -> dict[tuple[Face, int], list[tuple[float, Bet]]]:
    """Return the worths of bets found so far in one public view, by face and matching seen dice.

    Hands that hold equally many of a face value its bets alike, so a caller that asks for the play
    of all hands computes each worth once.
    """
    return {}


class Table:
    """One moment of a match as seen by `seat`, with the expected outcomes of actions."""

    def __init__(self, view: BluffView, seat: int) -> None:
        self.view = view
        self.seat = seat
        self.counts = view.dice_counts
        self.total = sum(view.dice_counts)
        self.laid_out: tuple[Face, ...] = sum(view.face_up, ())
        self.seen = view.hidden_dice + self.laid_out
        self.weights, self.named = tilted(view)
        seats = len(self.counts)
        clockwise = [other % seats for other in range(seat + 1, seat + seats)]
        self.others = [other for other in clockwise if self.counts[other]]
        self.hidden = [
            count - len(dice) for count, dice in zip(self.counts, view.face_up, strict=True)
        ]

    def worth_of_doubt(self) -> float:
        """Return the expected share of the dice after doubting the standing bet."""
        standing = self.view.bets[-1]
        face, quantity = standing.bet.face, standing.bet.quantity
        missing = quantity - matching(self.seen, face)
        unseen = spread([self.held(seat, face) for seat in self.others])
        return sum(
            chance * self.share(standing.seat, self.seat, count - missing)
            for count, chance in enumerate(unseen)
        )

    def worths_of_bets(self, face: Face) -> list[tuple[float, Bet]]:
        """Return the expected shares of the dice after the lowest bets on a face."""
        lowest = self.view.lowest[face - 1]
        quantities = range(lowest, min(lowest + REACH - 1, self.view.highest) + 1)
        if not quantities:
            return []
        follower = self.others[0]
        held = self.held(follower, face)
        rest = spread([self.held(seat, face) for seat in self.others[1:]])
        return [
            (self.worth_of_bet(quantity, face, held, rest), Bet(quantity, face))
            for quantity in quantities
        ]

    def worth_of_bet(
        self, quantity: int, face: Face, held: Distribution, rest: Distribution
    ) -> float:
        """Return the expected share of the dice after a bet, over what the next seat may hold."""
        follower = self.others[0]
        # It sees its own dice and those laid out; ours are as hidden to it as the others'.
        missing = quantity - matching(self.laid_out, face)
        unseen = sum(self.hidden) - self.hidden[follower]
        missing_for_us = quantity - matching(self.seen, face)
        worth = 0.0
        for count, chance in enumerate(held):
            if at_least(missing - count, unseen, fair_chance(face)) >= TRUSTS:
                worth += chance * (self.counts[self.seat] / self.total + PRESSURE)
            else:
                worth += chance * sum(
                    likely * self.share(self.seat, follower, count + others - missing_for_us)
                    for others, likely in enumerate(rest)
                )
        return worth

    def held(self, seat: int, face: Face) -> Distribution:
        """Return the distribution of the number of matching dice that a seat hides."""
        weights = self.weights[seat]
        matches = weights[STAR - 1] + (weights[face - 1] if face is not STAR else 0)
        dice, chance = self.hidden[seat], matches / sum(weights)
        if (seat, face) not in self.named:
            return binomial(dice, chance)
        missing = self.named[seat, face] - matching(self.laid_out, face)
        return after_bet(dice, chance, missing, sum(self.hidden) - dice, fair_chance(face))

    def share(self, bettor: int, doubter: int, surplus: int) -> float:
        """Return our share of the dice after a doubt that finds `surplus` dice above the bet."""
        own, total = self.counts[self.seat], self.total
        if surplus == 0:
            live = len(self.others)
            return (own - (bettor != self.seat)) / (total - live)
        loser = doubter if surplus > 0 else bettor
        loss = min(abs(surplus), self.counts[loser])
        return (own - loss * (loser == self.seat)) / (total - loss)


def tilted(view: BluffView) -> tuple[list[list[float]], dict[tuple[int, Face], int]]:
    """Return what the bets of the round say of unseen dice.

    That is, by seat, the relative probabilities of 1 to 5 and the star; and the highest quantity
    that a seat bet on a face.
    """
    weights = [[1.0] * len(Face) for _ in view.dice_counts]
    named: dict[tuple[int, Face], int] = {}
    for seat, bet in ((placed.seat, placed.bet) for placed in view.bets):
        weights[seat][bet.face - 1] = TILT
        named[seat, bet.face] = bet.quantity
        if bet.show:  # the dice that stayed under the cup were rolled again
            weights[seat] = [1.0] * len(Face)
            named = {key: quantity for key, quantity in named.items() if key[0] != seat}
    return weights, named


def matching(dice: tuple[Face, ...], face: Face) -> int:
    """Return the number of dice that count for a bet on `face`."""
    return dice.count(STAR) if face is STAR else dice.count(STAR) + dice.count(face)


def fair_chance(face: Face) -> float:
    """Return the probability that a die matches if nothing is known of it."""
    return 1 / 6 if face is STAR else 1 / 3


@cache
def binomial(dice: int, chance: float) -> Distribution:
    """Return the distribution of the number of matching dice."""
    return tuple(
        comb(dice, count) * chance**count * (1 - chance) ** (dice - count)
        for count in range(dice + 1)
    )


@cache
def at_least(wanted: int, dice: int, chance: float) -> float:
    """Return the probability that `wanted` or more of the dice match."""
    return sum(binomial(dice, chance)[max(0, wanted) :])


@cache
def after_bet(dice: int, chance: float, missing: int, unseen: int, fair: float) -> Distribution:
    """Return the distribution of the number of matching dice of a seat that made a bet.

    Args:
        dice: The number of its dice.
        chance: The probability that one of them matches.
        missing: The number of dice that must match, besides those laid out, for the bet to be true.
        unseen: The number of dice that the seat does not see.
        fair: The probability, to the seat, that one of these matches.
    """
    weights = [
        likely * at_least(missing - count, unseen, fair) ** CANDOUR
        for count, likely in enumerate(binomial(dice, chance))
    ]
    total = sum(weights)
    # A bet that no hand can make true, as a cap above the dice in play allows, tells nothing.
    return tuple(weight / total for weight in weights) if total else binomial(dice, chance)


def spread(cups: list[Distribution]) -> Distribution:
    """Return the distribution of the number of matching dice in several cups."""
    total: Distribution = (1.0,)
    for cup in cups:
        sums = [0.0] * (len(total) + len(cup) - 1)
        for count, likely in enumerate(total):
            for more, also in enumerate(cup):
                sums[count + more] += likely * also
        total = tuple(sums)
    return total


if __name__ == "__main__":
    run(Bayes)
