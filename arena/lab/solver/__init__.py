"""Near-equilibrium play of Bluff at two seats, and proof of how near it is.

A match is a sequence of rounds that only get smaller, so rounds are solved in order of the dice in
play: each by counterfactual regret minimisation (CFR+), each certified by exact best responses.
The method and its sources are in docs/solver.md.
"""

from arena.lab.solver.best_response import proven_bounds
from arena.lab.solver.by_dice import ByDice, ByDiceError, read_by_dice
from arena.lab.solver.last_bets import play_single_round, solve_last_bets
from arena.lab.solver.matches import (
    MOST_DICE,
    ForEach,
    certified_again,
    solve_matches,
    solve_round,
    states_before,
    states_of_match,
)
from arena.lab.solver.memory import MemoryShortError, check_memory, free_memory
from arena.lab.solver.options import OptionsNotSolvedError, check_options, match_value
from arena.lab.solver.play import PlayedState, exact_play, strategies
from arena.lab.solver.play_file import PartFiles, is_play, read_play, write_play
from arena.lab.solver.round_game import RoundGame, ValueBounds, match_round, single_round
from arena.lab.solver.round_solver import RoundSolver, bytes_needed
from arena.lab.solver.search import DicePair, Gap, Progress, SolvedState
from arena.lab.solver.state_files import StateFiles, StrategyFileError, is_state
from arena.lab.solver.tables import Strategy

__all__ = [
    "MOST_DICE",
    "ByDice",
    "ByDiceError",
    "DicePair",
    "ForEach",
    "Gap",
    "MemoryShortError",
    "OptionsNotSolvedError",
    "PartFiles",
    "PlayedState",
    "Progress",
    "RoundGame",
    "RoundSolver",
    "SolvedState",
    "StateFiles",
    "Strategy",
    "StrategyFileError",
    "ValueBounds",
    "bytes_needed",
    "certified_again",
    "check_memory",
    "check_options",
    "exact_play",
    "free_memory",
    "is_play",
    "is_state",
    "match_round",
    "match_value",
    "play_single_round",
    "proven_bounds",
    "read_by_dice",
    "read_play",
    "single_round",
    "solve_last_bets",
    "solve_matches",
    "solve_round",
    "states_before",
    "states_of_match",
    "strategies",
    "write_play",
]
