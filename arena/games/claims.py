"""The interface of a kit's module `claims`: statements about hidden information."""

from fractions import Fraction
from functools import cache
from typing import Any, Protocol, cast, runtime_checkable

from arena.games import KITS
from arena.games.game import Options


@runtime_checkable
class GameClaims(Protocol):
    """The claims of one game: true or false statements about what other seats cannot see."""

    @property
    def UNIT(self) -> tuple[str, str]:  # noqa: N802  a constant of the module
        """The unit of a claim's error, singular and plural, such as ("die short", "dice short")."""

    def off(self, action: Any, before: Any, after: Any) -> int | None:
        """Return the error of an action's claim: 0 if it is true, None without a claim.

        Args:
            action: The action of a seat.
            before: The state before the action.
            after: The state after the action.

        Returns:
            The size of the error in units of `UNIT`.
        """

    def doubts(self, action: Any) -> bool:
        """Return whether an action doubts the last claim."""

    def chance(self, view: Any, options: Options) -> Fraction | None:
        """Return the probability that the standing claim is true, given one view; else None.

        Args:
            view: The view of a seat or of a spectator.
            options: The options of the match.
        """


@cache
def claims_of(game: str) -> GameClaims | None:
    """Return the claims of a game; None if it has none or is unknown."""
    kit = KITS.get(game)
    return None if kit is None else cast("GameClaims | None", kit.part("claims"))
