"""Bluff: raises as little as a face allows, and doubts at random, without looking at its dice."""

from arena.bot import Bot, Turn, run
from arena.games.bluff import Bet, BluffView, Doubt, Face

DOUBTS = 0.25
"""How often it doubts a bet, whatever the bet."""


class Timid(Bot[BluffView, Bet | Doubt]):
    """Raises in small steps and doubts a quarter of the time, whatever its dice."""

    def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Bet | Doubt:
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
