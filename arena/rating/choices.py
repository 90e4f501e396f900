"""What whoever asks for ratings may choose. Importing this costs nothing."""

from enum import StrEnum


class ScoreRule(StrEnum):
    """Which pairs of a match count. At two seats both rules are the same.

    PLACEMENT: every pair; the better placing wins, equal placings tie.

    WINNER: only first place. Each winner beats each bot that did not win, winners who share first
    place tie with each other, and pairs of bots that did not win say nothing. Under Plackett-Luce
    (more generally under Luce's axiom) P(i wins | i or j wins) is Bradley-Terry in i and j whoever
    else sits at the table, so these pairs estimate the same kind of number.
    """

    PLACEMENT = "placement"
    WINNER = "winner"


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
