"""Variants of a game in which each option takes its other values."""

from collections.abc import Iterator
from typing import Any, Final, Literal, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import ValidationError

from arena.games import GAMES
from arena.games.bloeff import BloeffOptions
from arena.games.bloeff.deck import DeckRow


def _more(row: DeckRow, cards: int) -> DeckRow:
    return row.model_copy(update={"count": row.count + cards})


_DECK: Final = BloeffOptions().deck
_DEAL: Final = BloeffOptions().deal
_OTHER_VALUES: Final[dict[tuple[str, str], list[Any]]] = {
    ("bluff_you", "chip_points"): [(1,) * 16],
    ("bloeff", "limits"): [(0,), (99, 50)],
    ("bloeff", "first_seat"): [1],
    # A card less of the first kind, and one more of the second.
    ("bloeff", "deck"): [(_more(_DECK[0], -1), _more(_DECK[1], 1), *_DECK[2:])],
    ("bloeff", "deal"): [tuple(row.model_copy(update={"cards": 5}) for row in _DEAL)],
}
"""Other values of options whose types do not tell them."""


def variants(game: str) -> Iterator[dict[str, Any]]:
    """One changed option each, as JSON values; first the game as it is by default."""
    kind = GAMES[game].options_type
    yield {}
    for name, field in kind.model_fields.items():
        if name == "players_min":  # it changes no match
            continue
        for value in _values(game, name, field.annotation, field.metadata, field.default):
            try:
                changed = kind.model_validate({name: value}).changed()
            except ValidationError:
                continue
            if changed:
                yield changed


def _values(game: str, name: str, kind: Any, metadata: list[Any], default: Any) -> list[Any]:
    if (game, name) in _OTHER_VALUES:
        return _OTHER_VALUES[game, name]
    if kind is bool:
        return [not default]
    if get_origin(kind) is Literal:
        return [value for value in get_args(kind) if value != default]
    if kind is int:
        lowest = [one.ge for one in metadata if isinstance(one, Ge)]
        highest = [one.le for one in metadata if isinstance(one, Le)]
        # A match under the very highest could take a day.
        return [*lowest, *(min(one, 4 * default + 4) for one in highest)]
    return []
