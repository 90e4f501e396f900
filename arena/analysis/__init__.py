"""What each decision of a recorded match was worth, and what it cost; see docs/analysis.md."""

from arena.analysis.bot_analysis import BotAnalysis, Estimate, analyse_bot
from arena.analysis.decisions import AnalysedDecision, decisions
from arena.analysis.grades import BOUNDS, Grade, grade_of
from arena.analysis.match_analysis import Account, MatchAnalysis, SeatAnalysis, analyse
from arena.analysis.values import ActionValues, BluffSearch, BluffTables, Valued, known_sources

__all__ = [
    "BOUNDS",
    "Account",
    "ActionValues",
    "AnalysedDecision",
    "BluffSearch",
    "BluffTables",
    "BotAnalysis",
    "Estimate",
    "Grade",
    "MatchAnalysis",
    "SeatAnalysis",
    "Valued",
    "analyse",
    "analyse_bot",
    "decisions",
    "grade_of",
    "known_sources",
]
