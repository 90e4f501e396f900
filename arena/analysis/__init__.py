"""What each decision of a recorded match was worth, and what it cost; see docs/analysis.md."""

from arena.analysis.bot_analysis import BotAnalysis, analyse_bot
from arena.analysis.decisions import ANALYSED_GAMES, AnalysedDecision, decisions
from arena.analysis.frequencies import SITUATIONS, Frequency, frequencies
from arena.analysis.grades import BOUNDS, Grade, grade_of
from arena.analysis.leak import Leak
from arena.analysis.loss_sums import Estimate, LossSums
from arena.analysis.match_analysis import (
    Account,
    MatchAnalysis,
    SeatAnalysis,
    analyse,
    analysis_of,
    by_seat,
)
from arena.analysis.values import ActionValues, BluffSearch, BluffTables, Valued, known_sources

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
    "Valued",
    "analyse",
    "analyse_bot",
    "analysis_of",
    "by_seat",
    "decisions",
    "frequencies",
    "grade_of",
    "known_sources",
]
