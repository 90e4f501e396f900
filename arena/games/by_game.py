"""`ByGame`: a table with one value per game, made from the game's kit on first use."""

from collections.abc import Callable
from typing import Generic, TypeVar

from arena.games import KITS
from arena.games.kit import GameKit

T = TypeVar("T")


class ByGame(dict[str, T], Generic[T]):
    """A mapping from game id to a value made on first access; an unknown game raises KeyError.

    It contains only the values accessed so far, so iterate over `KITS` instead.

    Args:
        make: Makes the value of a game from its kit.
    """

    def __init__(self, make: Callable[[GameKit], T]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, game: str) -> T:
        made = self[game] = self._make(KITS[game])
        return made
