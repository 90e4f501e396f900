"""The arena's CFR+ on a single round of Bluff with one die each: a line of JSON per look.

PYTHON -m benchmarks.solver_load.arena_cfr ITERATIONS…
"""

from arena.lab.solver import RoundSolver, proven_bounds, single_round
from benchmarks.solver_load.openspiel_cfr import looks

if __name__ == "__main__":
    game = single_round((1, 1))
    RoundSolver(game).iterate()  # the time to compile its loops is not counted
    solver = RoundSolver(game)

    def gained() -> float:
        low, high = proven_bounds(game, solver.strategy())
        return high - low

    looks(solver.iterate, gained)
