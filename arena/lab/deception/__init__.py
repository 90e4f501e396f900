"""How often a bot bluffs, when, and how far from equilibrium; see docs/deception.md."""

from arena.lab.deception.decisions import ClaimDecision, claim_decisions
from arena.lab.deception.distance import Equilibrium
from arena.lab.deception.shares import Share, share_of
from arena.lab.deception.table import EVERYWHERE, BotMatch, Deception, DeceptionRow, deception_of

__all__ = [
    "EVERYWHERE",
    "BotMatch",
    "ClaimDecision",
    "Deception",
    "DeceptionRow",
    "Equilibrium",
    "Share",
    "claim_decisions",
    "deception_of",
    "share_of",
]
