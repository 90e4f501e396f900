"""Variants of a game in which each option takes its other values."""

from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import ValidationError

from arena.games import KITS


def variants(game: str) -> Iterator[dict[str, Any]]:
    """Yield sets of options with one changed option each, as JSON values; first the defaults."""
    kit = KITS[game]
    kind = kit.game.options_type
    yield {}
    for name, field in kind.model_fields.items():
        if name == "players_min":  # it affects no match
            continue
        values = kit.other_options.get(name)
        if values is None:
            values = _values(field.annotation, field.metadata, field.default)
        for value in values:
            try:
                changed = kind.model_validate({name: value}).changed()
            except ValidationError:
                continue
            if changed:
                yield changed


def _values(kind: Any, metadata: list[Any], default: Any) -> list[Any]:
    if kind is bool:
        return [not default]
    if get_origin(kind) is Literal:
        return [value for value in get_args(kind) if value != default]
    if kind is int:
        lowest = [one.ge for one in metadata if isinstance(one, Ge)]
        highest = [one.le for one in metadata if isinstance(one, Le)]
        # A match under the highest allowed value could take a day.
        return [*lowest, *(min(one, 4 * default + 4) for one in highest)]
    return []
