"""Random playouts of PettingZoo's leduc_holdem_v4: observation and mask, then the action.

PYTHON pettingzoo_leduc.py - SEATS SECONDS; the game has two seats.
"""

import sys

import numpy as np
from measuring import measure
from pettingzoo.classic import leduc_holdem_v4


def main() -> None:
    """Run the measurement named on the command line."""
    env, choose = leduc_holdem_v4.env(), np.random.default_rng(1)

    def playout() -> int:
        env.reset()
        decisions = 0
        for _ in env.agent_iter():
            seen, _, ended, truncated, _ = env.last()
            if ended or truncated:
                env.step(None)
            else:
                env.step(choose.choice(np.flatnonzero(seen["action_mask"])))
                decisions += 1
        return decisions

    measure(playout, float(sys.argv[3]))


if __name__ == "__main__":
    main()
