"""Random steps of PufferLib's Connect 4 in C, in batches of 4,096.

PYTHON pufferlib_connect4.py - SEATS SECONDS; the environment plays one of the two seats itself.
"""

import sys

import numpy as np
from measuring import measure
from pufferlib.ocean import env_creator

BATCH = 4096


def main() -> None:
    """Run the measurement named on the command line."""
    env = env_creator("puffer_connect4")(num_envs=BATCH)
    env.reset()
    chosen = np.random.default_rng(1).integers(0, env.single_action_space.n, (64, BATCH))
    steps = 0

    def playout() -> int:
        nonlocal steps
        env.step(chosen[steps % len(chosen)])
        steps += 1
        return BATCH

    measure(playout, float(sys.argv[3]))


if __name__ == "__main__":
    main()
