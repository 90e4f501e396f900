"""The errors of ratings; `__init__` shows the tree."""

from collections.abc import Hashable, Sequence

from arena.errors import UserError


class RatingError(UserError, ValueError):
    """Results are invalid, or a computation from them is not possible."""


class ResultError(RatingError):
    """A match cannot be rated; the message says which rule it breaks."""


class AnchorError(RatingError):
    """The anchor has played no match, or its Elo is so far that the ratings lose their digits."""


class UnboundedRatingError(RatingError):
    """Raised when some ratings would be infinite without a prior.

    `bots` are those outside the largest group.

    A finite fit exists only if every bot can be reached from every other over pairs in which the
    first took points from the second (Ford 1957).
    """

    def __init__(self, bots: Sequence[Hashable]) -> None:
        self.bots = tuple(bots)
        names = ", ".join(str(bot) for bot in self.bots)
        super().__init__(
            f"no finite rating without a prior for: {names}"
            " (not tied to the rest by both points won and points lost)"
        )
