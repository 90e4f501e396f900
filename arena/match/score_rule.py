"""What counts in a match of more than two: told to players beforehand, and to who rates them."""

from enum import StrEnum


class ScoreRule(StrEnum):
    """What counts. At two seats both rules are the same; at larger tables they disagree.

    PLACEMENT: every opponent. As points, the share of them that was beaten, a tie being half
    (`arena.scheduling.scoring`); as evidence, every pair: the better placing wins, equal placings
    tie (`arena.rating`).

    WINNER: only first place. As points, 1 for it, or 1/n to each of n that share it. As evidence,
    each winner beats each bot that did not win, winners who share first place tie with each other,
    and pairs of bots that did not win say nothing. Under Plackett-Luce (more generally under Luce's
    axiom) P(i wins | i or j wins) is Bradley-Terry in i and j whoever else sits at the table, so
    these pairs estimate the same kind of number.
    """

    PLACEMENT = "placement"
    WINNER = "winner"
