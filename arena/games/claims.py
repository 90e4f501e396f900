"""What a game claims: the interface of a kit's module `claims`."""

from fractions import Fraction
from functools import cache
from typing import Any, Protocol, cast, runtime_checkable

from arena.games import KITS
from arena.games.game import Options


@runtime_checkable
class GameClaims(Protocol):
    """Claims of one game: what a seat says of what others cannot see, true or not."""

    @property
    def UNIT(self) -> tuple[str, str]:  # noqa: N802  a constant of the module
        """The unit by which a claim is false, after 1 and after another number: "die short"."""

    def off(self, action: Any, before: Any, after: Any) -> int | None:
        """Return by how much the claim of an action is false, 0 if it is true.

        None if it makes no claim. `before` and `after` are the states around it.
        """

    def doubts(self, action: Any) -> bool:
        """Return whether an action doubts the last claim."""

    def chance(self, view: Any, options: Options) -> Fraction | None:
        """Return the probability that the claim which stands is true, given what a view shows.

        None without one.
        """


@cache
def claims_of(game: str) -> GameClaims | None:
    """Return the claims of a game; None if it has none, or is unknown."""
    kit = KITS.get(game)
    return None if kit is None else cast("GameClaims | None", kit.part("claims"))
