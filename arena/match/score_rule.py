"""The score rules: what counts in a match of more than two seats, for play and for ratings."""

from enum import StrEnum


class ScoreRule(StrEnum):
    """A score rule. At two seats both rules are the same; at larger tables they differ.

    PLACEMENT: every opponent counts. Points: the share of opponents that were beaten, a tie being
    half (`arena.scheduling.scoring`). Ratings: every pair; the better placing wins, equal placings
    tie (`arena.rating`).

    WINNER: only first place counts. Points: 1 for it, or 1/n for each of n that share it. Ratings:
    each winner beats each bot that did not win, winners who share first place tie with each other,
    and pairs of bots that did not win are ignored. Under Plackett-Luce (more generally under Luce's
    axiom) P(i wins | i or j wins) is Bradley-Terry in i and j for any other bots at the table, so
    these pairs estimate the same kind of number.
    """

    PLACEMENT = "placement"
    WINNER = "winner"
