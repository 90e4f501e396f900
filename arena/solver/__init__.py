"""Near-equilibrium play of Bluff at two seats, and proof of how near it is.

A match is a sequence of rounds that only get smaller, so rounds are solved in order of the dice in
play: each by counterfactual regret minimisation (CFR+), each certified by exact best responses.
The method and its sources are in docs/solver.md.
"""

from arena.solver.best_response import proven_bounds
from arena.solver.matches import MOST_DICE, Progress, SolvedState, solve_match, solve_round
from arena.solver.round_game import RoundGame, ValueBounds, match_round, single_round
from arena.solver.round_solver import RoundSolver
from arena.solver.strategy_file import StrategyFileError, certified_again, load, save
from arena.solver.tables import Strategy

__all__ = [
    "MOST_DICE",
    "Progress",
    "RoundGame",
    "RoundSolver",
    "SolvedState",
    "Strategy",
    "StrategyFileError",
    "ValueBounds",
    "certified_again",
    "load",
    "match_round",
    "proven_bounds",
    "save",
    "single_round",
    "solve_match",
    "solve_round",
]
