"""Bluff: a bot that raises as little as a face allows, and doubts at random, whatever its dice."""

from arena.bot import Bot, Turn, run
from arena.games.bluff import Bet, BluffView, Doubt, Face

DOUBTS = 0.25
"""The probability that it doubts a bet, whatever the bet."""


class Timid(Bot[BluffView, Bet | Doubt]):
    """A bot that raises in small steps and doubts a quarter of the time, whatever its dice."""

    def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Bet | Doubt:
        """Return the lowest bet on a random face, or a doubt with probability DOUBTS."""
        view = turn.view
        steps = [
            Bet(view.lowest[face - 1], face)
            for face in Face
            if view.lowest[face - 1] <= view.highest
        ]
        if view.can_doubt and (not steps or self.random.random() < DOUBTS):
            return Doubt()
        return self.random.choice(steps)


if __name__ == "__main__":
    run(Timid)
