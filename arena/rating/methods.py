"""What whoever asks for ratings may choose. Importing this costs nothing."""

from enum import StrEnum

from arena.match.score_rule import ScoreRule

__all__ = ["Clusters", "EloModel", "ScoreRule"]


class Clusters(StrEnum):
    """BLOCK: a block is one cluster, a match outside a block is its own; what the board uses.

    MATCH: every match by itself; too narrow for blocks of one deal. PAIR: every pair of a match by
    itself; about 1.5 times too narrow at six seats, here to show just that.
    """

    BLOCK = "block"
    MATCH = "match"
    PAIR = "pair"


class EloModel(StrEnum):
    """In which Elo the bounds are meant."""

    LOGISTIC = "logistic"
    NORMALIZED = "normalized"
