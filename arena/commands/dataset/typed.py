"""Typed columns for the values of a game, derived from their classes.

A record becomes one column per member, named after both: `action_quantity`. A union of records
becomes the columns of all of them, and `type`, which names the record; members that it lacks are
null. A tuple becomes a list, and a tuple of records one list per member. An IntEnum becomes its
number, any other enum its value as text.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntEnum
from functools import partial
from types import NoneType, UnionType
from typing import Annotated, Any, TypeAlias, Union, get_args, get_origin

from arena.commands.dataset.pyarrow_module import pyarrow_modules
from arena.games.game import AnyGame
from arena.games.notation import type_name
from arena.games.view_notation import is_record, members_of

Plain: TypeAlias = Callable[[Any], Any]
"""A function that returns the cell of a value other than None."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A column: its Arrow type, and the function that makes a cell of a value."""

    arrow: Any
    plain: Plain | None = None
    """None where pyarrow takes the values as they are."""
    words: str = ""
    """The meaning of the numbers of an enum."""

    def cell(self, value: Any) -> Any:
        """Return the cell of a value, which may be None."""
        return value if value is None or self.plain is None else self.plain(value)


def view_columns(game: type[AnyGame]) -> dict[str, dict[str, Typed]]:
    """Return the columns of a game's views: for each member its columns by name."""
    members = members_of(game.view_notation.view)
    return {member: _typed(f"view_{member}", hint) for member, hint in members.items()}


def action_columns(game: type[AnyGame], name: str) -> dict[str, Typed]:
    """Return the columns of a seat's action by column name; all names begin with `name`."""
    return _one_of(name, game.view_notation.choices)


def _typed(name: str, hint: Any) -> dict[str, Typed]:
    pyarrow, _ = pyarrow_modules()
    if get_origin(hint) is Annotated:
        return _typed(name, get_args(hint)[0])
    if get_origin(hint) in (Union, UnionType):
        kinds = tuple(kind for kind in get_args(hint) if kind is not NoneType)
        return _typed(name, kinds[0]) if len(kinds) == 1 else _one_of(name, kinds)
    if get_origin(hint) is tuple:
        items = _typed(name, get_args(hint)[0])
        return {
            key: Typed(pyarrow.list_(item.arrow), item.plain and partial(_each, item), item.words)
            for key, item in items.items()
        }
    if isinstance(hint, type) and is_record(hint):
        return {
            key: Typed(column.arrow, partial(_member, member, column), column.words)
            for member, kind in members_of(hint).items()
            for key, column in _typed(f"{name}_{member}", kind).items()
        }
    if isinstance(hint, type) and issubclass(hint, IntEnum):
        return {name: Typed(pyarrow.int8(), words=", ".join(_numbered(hint)))}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {name: Typed(pyarrow.string(), lambda value: value.value)}
    kind = {bool: pyarrow.bool_(), int: pyarrow.int32(), str: pyarrow.string()}[hint]
    return {name: Typed(kind)}


def _one_of(name: str, kinds: tuple[type, ...]) -> dict[str, Typed]:
    """Return the columns of a union of records; members of the same name must have one type."""
    pyarrow, _ = pyarrow_modules()
    types = {kind: type_name(kind) for kind in kinds}
    found = {f"{name}_type": Typed(pyarrow.string(), lambda value: types[type(value)])}
    for kind in kinds:
        for key, column in _typed(name, kind).items():
            known = found.setdefault(key, column)
            if known.arrow != column.arrow:
                raise TypeError(f"{key} has two types among {', '.join(types.values())}")
    return found


def _each(item: Typed, values: tuple[Any, ...]) -> list[Any]:
    return [item.cell(value) for value in values]


def _member(member: str, column: Typed, value: Any) -> Any:
    return column.cell(getattr(value, member, None))


def _numbered(kind: type[IntEnum]) -> list[str]:
    """Return "NUMBER is TEXT" for each member whose text differs from its number."""
    return [f"{one.value} is {one}" for one in kind if str(one) != str(one.value)]
