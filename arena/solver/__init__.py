"""Near-equilibrium play of Bluff at two seats, and proof of how near it is.

A match is a sequence of rounds that only get smaller, so rounds are solved in order of the dice in
play: each by counterfactual regret minimisation (CFR+), each certified by exact best responses.
The method and its sources are in docs/solver.md.
"""

from arena.solver.best_response import proven_bounds
from arena.solver.last_bet import solve_last_bet
from arena.solver.matches import MOST_DICE, Progress, SolvedState, solve_match, solve_round
from arena.solver.play import PlayedState, exact_play, strategies
from arena.solver.play_file import is_play, read_play, write_play
from arena.solver.round_game import RoundGame, ValueBounds, match_round, single_round
from arena.solver.round_solver import RoundSolver
from arena.solver.strategy_file import StrategyFileError, certified_again, load, save
from arena.solver.tables import Strategy

__all__ = [
    "MOST_DICE",
    "PlayedState",
    "Progress",
    "RoundGame",
    "RoundSolver",
    "SolvedState",
    "Strategy",
    "StrategyFileError",
    "ValueBounds",
    "certified_again",
    "exact_play",
    "is_play",
    "load",
    "match_round",
    "proven_bounds",
    "read_play",
    "save",
    "single_round",
    "solve_last_bet",
    "solve_match",
    "solve_round",
    "strategies",
    "write_play",
]
