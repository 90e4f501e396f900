"""The interface of a kit's module `claims`: statements about hidden information."""

from fractions import Fraction
from functools import cache
from typing import Any, Final, NamedTuple, Protocol, cast, runtime_checkable

from arena.games import KITS
from arena.games.game import Options

KINDS: Final = ("standing", "round", "size")
"""The kinds of a game's situations, in the order of display."""


class ClaimSituation(NamedTuple):
    """A label for the public situation in which a seat decides."""

    kind: str
    """One of KINDS; a decision has at most one situation of each kind."""
    rank: int
    """Its place among the situations of its kind, for display."""
    name: str


@runtime_checkable
class GameClaims(Protocol):
    """The claims of one game: true or false statements about what other seats cannot see."""

    @property
    def UNIT(self) -> tuple[str, str]:  # noqa: N802  a constant of the module
        """The unit of a claim's error, singular and plural, such as ("die short", "dice short")."""

    def off(self, action: Any, before: Any, after: Any, options: Options) -> int | None:
        """Return the error of an action's claim in units of `UNIT`; None without a claim."""

    def doubts(self, action: Any) -> bool:
        """Return whether an action doubts the last claim."""

    def called(self, action: Any, before: Any, after: Any) -> bool:
        """Return whether an action puts the last claim to the test, as a doubt does."""

    def chance(self, view: Any, options: Options) -> Fraction | None:
        """Return the probability that the standing claim is true, given one view; else None.

        The view is that of a seat or of a spectator.
        """

    def own_chance(self, action: Any, view: Any, options: Options) -> Fraction | None:
        """Return the probability that a legal action's claim is true, given the view of its seat.

        Nothing is inferred from other seats' actions. None if the action claims nothing.
        """

    def likeliest(self, view: Any, options: Options) -> Fraction | None:
        """Return the largest `own_chance` of a legal action; None if no legal action claims."""

    def may_doubt(self, view: Any) -> bool:
        """Return whether the seat of a view may doubt now."""

    def situations(self, view: Any) -> tuple[ClaimSituation, ...]:
        """Return the situations of a decision, from public information only."""


@cache
def claims_of(game: str) -> GameClaims | None:
    """Return the claims of a game; None if it has none or is unknown."""
    kit = KITS.get(game)
    return None if kit is None else cast("GameClaims | None", kit.part("claims"))


def standing(
    seat: int, counts: tuple[int, ...], what: str, *, fewer_is_better: bool = False
) -> ClaimSituation:
    """Return whether a seat is behind, level with or ahead of the best of the others.

    Args:
        seat: The seat.
        counts: The amount that each seat has.
        what: The name of what is counted, such as "dice".
        fewer_is_better: Whether the seat with the fewest is ahead.
    """
    own = counts[seat]
    others = [count for other, count in enumerate(counts) if other != seat]
    best = min(others) if fewer_is_better else max(others)
    if own == best:
        return ClaimSituation("standing", 1, f"with as many {what}")
    behind = (own > best) == fewer_is_better
    compared = "more" if own > best else "fewer"
    return ClaimSituation("standing", 0 if behind else 2, f"with {compared} {what}")
