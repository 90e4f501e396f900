"""Random playouts of TextArena's LiarsDice-v0: the acting seat's observation, then its answer.

PYTHON textarena_liars_dice.py fresh|reused SEATS SECONDS

`fresh` makes an environment for each match, `reused` resets one, as one does with Gym's: there
each observation holds those of all matches before, so that its cost grows with their number.
The rules bound no bid; as at Bluff, a random seat bids no more dice than there are in play and
chooses among these bids and the call.
"""

import random
import sys
from typing import Any

import textarena
from measuring import measure

CALL = "[Call]"
NAME = "LiarsDice-v0"


def main() -> None:
    """Measure what the command line asks for."""
    seats, choose = int(sys.argv[2]), random.Random(1)
    if sys.argv[1] == "reused":
        environment = textarena.make(NAME)
        measure(lambda: playout(environment, seats, choose), float(sys.argv[3]))
    else:
        measure(lambda: playout(textarena.make(NAME), seats, choose), float(sys.argv[3]))


def playout(environment: Any, seats: int, choose: random.Random) -> int:
    """One match; the number of decisions."""
    environment.reset(num_players=seats)
    decisions, done = 0, False
    while not done:
        environment.get_observation()
        state = environment.state.game_state
        standing = state["current_bid"]
        lowest, face = max(1, standing["quantity"]), max(1, standing["face_value"])
        answers = [
            f"[Bid: {quantity}, {shown}]"
            for quantity in range(lowest, sum(state["remaining_dice"].values()) + 1)
            for shown in range(face, 7)
        ]
        if standing["quantity"]:
            # The first is the standing bid itself.
            answers[0] = CALL
        done, _ = environment.step(choose.choice(answers))
        decisions += 1
    return decisions


if __name__ == "__main__":
    main()
