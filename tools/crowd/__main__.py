"""python -m tools.crowd [--updates 580] [--batch 1024] [--seed 1] [--out FILE]

Trains the net of the sample bot `crowd` and writes it. The same arguments give the same file on one
platform.
"""

import argparse
import os
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # layers this small are faster without threads

import numpy as np

from arena_sample_bots.crowd import NET
from tools.crowd.training import Training

SHOWN_EVERY = 20


def main() -> None:
    """Train, and write the net at intervals."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1] if __doc__ else None)
    parser.add_argument("--updates", type=int, default=580)
    parser.add_argument("--batch", type=int, default=1024, help="matches at a time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=NET)
    given = parser.parse_args()
    training, decisions = Training(given.batch, given.seed), 0
    for update in range(1, given.updates + 1):
        decisions += training.update()
        if update % SHOWN_EVERY == 0 or update == given.updates:
            share = sum(training.won) / max(1, len(training.won))
            print(
                f"{update} updates, {decisions:,} decisions: {share:.1%} of {len(training.won)} "
                "tables of six",
                flush=True,
            )
            training.won.clear()
            np.savez(given.out, *[weight.astype(np.float16) for weight in training.mean])


if __name__ == "__main__":
    main()
