"""Random playouts of TextArena's LiarsDice-v0: the acting seat's observation, then its answer.

PYTHON textarena_liars_dice.py fresh|reused SEATS SECONDS

`fresh` makes an environment for each match, `reused` resets one, as usual with Gym: then each
observation includes those of all earlier matches, so its cost grows with their number. The rules do
not limit bids; as in Bluff, a random seat bids at most the dice in play and chooses among these
bids and the call.
"""

import random
import sys
from typing import Any

import textarena
from measuring import measure

CALL = "[Call]"
NAME = "LiarsDice-v0"


def main() -> None:
    """Run the measurement named on the command line."""
    seats, choose = int(sys.argv[2]), random.Random(1)
    if sys.argv[1] == "reused":
        environment = textarena.make(NAME)
        measure(lambda: playout(environment, seats, choose), float(sys.argv[3]))
    else:
        measure(lambda: playout(textarena.make(NAME), seats, choose), float(sys.argv[3]))


def playout(environment: Any, seats: int, choose: random.Random) -> int:
    """Play one match; returns the number of decisions."""
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
            # The first answer is the standing bid itself, which is not legal.
            answers[0] = CALL
        done, _ = environment.step(choose.choice(answers))
        decisions += 1
    return decisions


if __name__ == "__main__":
    main()
