"""OpenSpiel's CFR+ (C++) on liars_dice with one die each: a line of JSON per look.

PYTHON openspiel_cfr.py ITERATIONS…

It runs in an environment of its own, so it imports nothing of this project; `looks` is for the
arena's program as well.
"""

import json
import resource
import sys
import time
from collections.abc import Callable


def looks(iterate: Callable[[], object], nash_conv: Callable[[], float]) -> None:
    """Iterate to each of the numbers on the command line, and print what is reached there.

    `nash_conv` returns what both best responses gain; its time is not counted.
    """
    done, seconds = 0, 0.0
    for wanted in map(int, sys.argv[1:]):
        began = time.process_time()
        while done < wanted:
            iterate()
            done += 1
        seconds += time.process_time() - began
        look = {
            "iterations": done,
            "seconds": seconds,
            "nash_conv": nash_conv(),
            "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
        print(json.dumps(look), flush=True)


def main() -> None:
    import pyspiel

    game = pyspiel.load_game("liars_dice")
    solver = pyspiel.CFRPlusSolver(game)
    # OpenSpiel's exploitability is half of NashConv.
    looks(
        solver.evaluate_and_update_policy,
        lambda: pyspiel.nash_conv(game, solver.average_policy()),
    )


if __name__ == "__main__":
    main()
