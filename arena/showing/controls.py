"""A person's choice of an action, step by step: the interface of a kit's module `controls`."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Protocol, cast, runtime_checkable

from arena.games.by_game import ByGame
from arena.showing import plain_controls
from arena.showing.options import Option


@runtime_checkable
class GameControls(Protocol):
    """The functions of a kit's module. `names` are the bots' names by seat."""

    def options(
        self, actions: Iterable[Any], view: Any, names: Sequence[str]
    ) -> Iterator[tuple[Any, Option]]:
        """Yield the legal actions with their options, in the order in which they are offered.

        Actions with the same effect as another may be left out.
        """

    def question(self, view: Any, names: Sequence[str]) -> str:
        """Return what the turn asks of the person, in a sentence or two."""


CONTROLS: Final = ByGame[GameControls](
    lambda kit: cast("GameControls", kit.part("controls") or plain_controls)
)
"""Controls by game."""
