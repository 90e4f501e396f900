"""Bluff: a bot that raises as little as a face allows, and doubts at random, whatever its dice."""

from arena.bot import Bot, Turn, run
from arena.games.bluff import Bet, BluffView, Doubt, Face

DOUBTS = 0.25
"""The probability that it doubts a bet, whatever the bet."""


class Timid(Bot[BluffView, Bet | Doubt]):
    """A bot that raises in small steps and doubts a quarter of the time, whatever its dice."""

    def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Bet | Doubt:
        """Return the lowest bet on a random face, or a doubt with probability DOUBTS."""
        steps = lowest_bets(turn.view)
        if turn.view.can_doubt and (not steps or self.random.random() < DOUBTS):
            return Doubt()
        return self.random.choice(steps)

    def probabilities(self, turn: Turn[BluffView, Bet | Doubt]) -> dict[Bet | Doubt, float]:
        """Return the probabilities of the doubt and of the lowest bet on each face."""
        steps = lowest_bets(turn.view)
        if not turn.view.can_doubt:
            return dict.fromkeys(steps, 1 / len(steps))
        if not steps:
            return {Doubt(): 1.0}
        return {Doubt(): DOUBTS, **dict.fromkeys(steps, (1 - DOUBTS) / len(steps))}


def lowest_bets(view: BluffView) -> list[Bet]:
    """Return the lowest bet on each face that is not too high."""
    return [
        Bet(view.lowest[face - 1], face) for face in Face if view.lowest[face - 1] <= view.highest
    ]


if __name__ == "__main__":
    run(Timid)
