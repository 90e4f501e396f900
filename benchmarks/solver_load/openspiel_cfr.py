"""OpenSpiel's CFR+ (C++) on liars_dice with one die each: a line of JSON per look.

PYTHON openspiel_cfr.py ITERATIONS…

Looks after so many iterations; their time is not counted.
"""

import json
import resource
import sys
import time

import pyspiel


def main() -> None:
    """Run to the last of the iterations named on the command line."""
    solver = pyspiel.CFRPlusSolver(pyspiel.load_game("liars_dice"))
    game = pyspiel.load_game("liars_dice")
    done, seconds = 0, 0.0
    for wanted in map(int, sys.argv[1:]):
        began = time.process_time()
        while done < wanted:
            solver.evaluate_and_update_policy()
            done += 1
        seconds += time.process_time() - began
        # What both best responses gain; OpenSpiel's exploitability is half of it.
        gained = pyspiel.nash_conv(game, solver.average_policy())
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        look = {"iterations": done, "seconds": seconds, "nash_conv": gained, "memory_mb": memory}
        print(json.dumps(look), flush=True)


if __name__ == "__main__":
    main()
