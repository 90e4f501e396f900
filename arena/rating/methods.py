"""The choices of a rating: score rule, clusters, Elo model. Importing this module is fast."""

from enum import StrEnum

from arena.match.score_rule import ScoreRule

__all__ = ["Clusters", "EloModel", "ScoreRule"]


class Clusters(StrEnum):
    """The unit of independent results, from which intervals are computed.

    BLOCK: a block is one cluster, and so is a match outside a block; the board uses this. MATCH:
    every match is one; intervals are too narrow for blocks of one deal. PAIR: every pair of a match
    is one; intervals are about 1.5 times too narrow at six seats (offered to demonstrate this).
    """

    BLOCK = "block"
    MATCH = "match"
    PAIR = "pair"


class EloModel(StrEnum):
    """The Elo scale of the bounds of a test."""

    LOGISTIC = "logistic"
    NORMALIZED = "normalized"
