"""Near-equilibrium play of Bluff at two seats, and proof of how near it is.

A match is a sequence of rounds that only get smaller, so rounds are solved in order of the dice in
play: each by counterfactual regret minimisation (CFR+), each certified by exact best responses.
The method and its sources are in docs/solver.md.
"""

from arena.solver.best_response import proven_bounds
from arena.solver.by_dice import ByDice, ByDiceError, read_by_dice
from arena.solver.last_bets import solve_last_bets
from arena.solver.matches import (
    MOST_DICE,
    DicePair,
    ForEach,
    Progress,
    SolvedState,
    solve_matches,
    solve_round,
    states_before,
    states_of_match,
)
from arena.solver.options import OptionsNotSolvedError, check_options, match_value
from arena.solver.play import PlayedState, exact_play, strategies
from arena.solver.play_file import PartFiles, is_play, read_play, write_play
from arena.solver.round_game import RoundGame, ValueBounds, match_round, single_round
from arena.solver.round_solver import RoundSolver
from arena.solver.strategy_file import StrategyFileError, certified_again, load, save
from arena.solver.tables import Strategy

__all__ = [
    "MOST_DICE",
    "ByDice",
    "ByDiceError",
    "DicePair",
    "ForEach",
    "OptionsNotSolvedError",
    "PartFiles",
    "PlayedState",
    "Progress",
    "RoundGame",
    "RoundSolver",
    "SolvedState",
    "Strategy",
    "StrategyFileError",
    "ValueBounds",
    "certified_again",
    "check_options",
    "exact_play",
    "is_play",
    "load",
    "match_round",
    "match_value",
    "proven_bounds",
    "read_by_dice",
    "read_play",
    "save",
    "single_round",
    "solve_last_bets",
    "solve_matches",
    "solve_round",
    "states_before",
    "states_of_match",
    "strategies",
    "write_play",
]
