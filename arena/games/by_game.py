"""`ByGame`: a table of something that each game has, made from its kit when it is first needed."""

from collections.abc import Callable
from typing import Generic, TypeVar

from arena.games import KITS
from arena.games.kit import GameKit

T = TypeVar("T")


class ByGame(dict[str, T], Generic[T]):
    """Values by game: `table[game]`. Raises KeyError for an unknown game.

    Only what was asked for is in it, so iterate over KITS.
    """

    def __init__(self, make: Callable[[GameKit], T]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, game: str) -> T:
        made = self[game] = self._make(KITS[game])
        return made
