"""Errors of ratings; the docstring of `arena.rating` shows their tree."""

from collections.abc import Hashable, Sequence

from arena.errors import UserError


class RatingError(UserError, ValueError):
    """Error: results are invalid, or a computation from them is not possible."""


class ResultError(RatingError):
    """Error: a match cannot be rated; the message states which rule it breaks."""


class AnchorError(RatingError):
    """Error: the anchor has no match, or its Elo is so far from 0 that ratings lose precision."""


class UnboundedRatingError(RatingError):
    """Error: without a prior some ratings would be infinite.

    `bots` are those outside the largest group. A finite fit exists only if every bot can be reached
    from every other over pairs in which the first took points from the second (Ford 1957).
    """

    def __init__(self, bots: Sequence[Hashable]) -> None:
        self.bots = tuple(bots)
        names = ", ".join(str(bot) for bot in self.bots)
        super().__init__(
            f"no finite rating without a prior for: {names}"
            " (not tied to the rest by both points won and points lost)"
        )
