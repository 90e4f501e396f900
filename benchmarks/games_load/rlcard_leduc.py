"""Random playouts of RLCard's leduc-holdem: the observation, then an action.

PYTHON rlcard_leduc.py - SEATS SECONDS; the game has two seats.
"""

import random
import sys

import rlcard
from measuring import measure


def main() -> None:
    """Run the measurement named on the command line."""
    env, choose = rlcard.make("leduc-holdem", config={"seed": 1}), random.Random(1)

    def playout() -> int:
        seen, _ = env.reset()
        decisions = 0
        while not env.is_over():
            seen, _ = env.step(choose.choice(list(seen["legal_actions"])))
            decisions += 1
        return decisions

    measure(playout, float(sys.argv[3]))


if __name__ == "__main__":
    main()
