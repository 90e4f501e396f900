"""Values and losses of each decision in a recorded match; see docs/analysis.md."""

from arena.lab.analysis.account import Account, accounts
from arena.lab.analysis.bot_analysis import BotAnalysis, analyse_bot
from arena.lab.analysis.decisions import ANALYSED_GAMES, AnalysedDecision, decisions, has_values
from arena.lab.analysis.frequencies import SITUATIONS, Frequency, frequencies
from arena.lab.analysis.grades import BOUNDS, Grade, grade_of
from arena.lab.analysis.leak import Leak
from arena.lab.analysis.loss_sums import Estimate, LossSums
from arena.lab.analysis.match_analysis import (
    MatchAnalysis,
    SeatAnalysis,
    analyse,
    analysis_of,
    by_seat,
)
from arena.lab.analysis.soft_play import SeatLoss, SoftPair, seat_losses, soft_play
from arena.lab.analysis.solved_place import SolvedShares
from arena.lab.analysis.solved_shares import kept_shares, solved_shares_of
from arena.lab.analysis.values import ActionValues, BluffSearch, BluffTables, Valued, known_sources

__all__ = [
    "ANALYSED_GAMES",
    "BOUNDS",
    "SITUATIONS",
    "Account",
    "ActionValues",
    "AnalysedDecision",
    "BluffSearch",
    "BluffTables",
    "BotAnalysis",
    "Estimate",
    "Frequency",
    "Grade",
    "Leak",
    "LossSums",
    "MatchAnalysis",
    "SeatAnalysis",
    "SeatLoss",
    "SoftPair",
    "SolvedShares",
    "Valued",
    "accounts",
    "analyse",
    "analyse_bot",
    "analysis_of",
    "by_seat",
    "decisions",
    "frequencies",
    "grade_of",
    "has_values",
    "kept_shares",
    "known_sources",
    "seat_losses",
    "soft_play",
    "solved_shares_of",
]
