"""The arena's CFR+ on a single round of Bluff with one die each: a line of JSON per look.

PYTHON -m benchmarks.solver_load.arena_cfr ITERATIONS…

Looks after so many iterations; their time is not counted, nor is the compiling of the loops.
"""

import json
import resource
import sys
import time

from arena.lab.solver import RoundSolver, proven_bounds, single_round


def main() -> None:
    """Run to the last of the iterations named on the command line."""
    game = single_round((1, 1))
    RoundSolver(game).iterate()
    solver, seconds = RoundSolver(game), 0.0
    for wanted in map(int, sys.argv[1:]):
        began = time.process_time()
        while solver.iterations < wanted:
            solver.iterate()
        seconds += time.process_time() - began
        low, high = proven_bounds(game, solver.strategy())
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        look = {
            "iterations": wanted,
            "seconds": seconds,
            "nash_conv": high - low,
            "memory_mb": memory,
        }
        print(json.dumps(look), flush=True)


if __name__ == "__main__":
    main()
