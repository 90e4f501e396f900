"""The JSON form of views, events and answers, for bots that read lines of JSON (docs/stdio.md).

A view is an object with its members in the order of the class; an event starts with its `type`.
Nothing is omitted: absent values are null. Actions inside are written as in transcripts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeAlias, Union, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter

from arena.games.notation import Notation, type_name

Schema: TypeAlias = dict[str, Any]


class ViewNotation:
    """The writer of one game's views and events as JSON, and the reader of answers.

    The type of an event is the name of its class, `bet_placed` for BetPlaced, unless given
    explicitly.

    Args:
        actions: The JSON form of the game's actions.
        view: The class of views.
        choices: The class of a seat's answers, or a union of several.
        events: The class of events, or a union of several.
        **named: Event classes by an explicit type.
    """

    def __init__(
        self, actions: Notation, view: type, choices: Any, events: Any, **named: type
    ) -> None:
        self._actions = actions
        self.view = view
        """The class of views."""
        self.choices: tuple[type, ...] = get_args(choices) or (choices,)
        """The classes of a seat's answers."""
        self.events: Mapping[type, str] = {
            event: type_name(event) for event in get_args(events) or (events,)
        } | {event: name for name, event in named.items()}

    def to_json(self, value: Any) -> dict[str, Any]:
        """Return a view or an event as a JSON object."""
        kind: Any = type(value)
        members = {
            name: self._written(getattr(value, name), hint)
            for name, hint in members_of(kind).items()
        }
        return {"type": self.events[kind], **members} if kind in self.events else members

    def answer_from_json(self, value: object, within: Sequence[int | str] = ()) -> Any:
        """Return the action of a seat, not of the dealer, that a JSON object describes.

        Args:
            value: The parsed JSON value.
            within: The path to the value, for error messages.

        Raises:
            NotationError: The value is not an action of a seat.
        """
        return self._actions.from_json(value, within, self.choices)

    def _written(self, value: Any, hint: Any) -> Any:
        if value is None:
            return None
        if self._actions.name_of(type(value)) is not None:
            return self._actions.to_json(value)
        if is_record(type(value)):
            return self.to_json(value)
        if type(value) is tuple and value and is_record(type(value[0])):
            return [self.to_json(item) for item in value]
        return _adapter(hint).dump_python(value, mode="json")

    def definitions(self) -> dict[str, Schema]:
        """Return the JSON Schemas of views, events, a seat's actions and their parts, by name."""
        found: dict[str, Schema] = {
            "action": {"oneOf": [_reference(kind) for kind in self.choices]},
            "event": {"oneOf": [_reference(event) for event in self.events]},
        }
        for kind in (self.view, *self.events, *self.choices):
            self._define(kind, found)
        return {"view": found.pop(self.view.__name__), **found}

    def _define(self, kind: type, found: dict[str, Schema]) -> None:
        if kind.__name__ in found:
            return
        found[kind.__name__] = {}  # it may occur in itself
        action = self._actions.name_of(kind)
        name = action or self.events.get(kind)
        members = {} if name is None else {"type": {"const": name}}
        members |= {member: self._schema(hint, found) for member, hint in members_of(kind).items()}
        optional = self._actions.defaults(kind) if action else {}
        found[kind.__name__] = {
            "description": " ".join((kind.__doc__ or "").split("\n\n")[0].split()),
            "type": "object",
            "properties": members,
            "required": [member for member in members if member not in optional],
            "additionalProperties": False,
        }

    def _schema(self, hint: Any, found: dict[str, Schema]) -> Schema:
        if hint is NoneType:
            return {"type": "null"}
        if get_origin(hint) in (Union, UnionType):
            return {"anyOf": [self._schema(part, found) for part in get_args(hint)]}
        if get_origin(hint) is tuple:
            return {"type": "array", "items": self._schema(get_args(hint)[0], found)}
        if isinstance(hint, type) and is_record(hint):
            self._define(hint, found)
            return _reference(hint)
        if isinstance(hint, type) and issubclass(hint, Enum):
            return {"enum": [member.value for member in hint]}
        return _adapter(hint).json_schema(mode="serialization")


def _reference(kind: type) -> Schema:
    return {"$ref": f"#/$defs/{kind.__name__}"}


def is_record(kind: Any) -> bool:
    """Return whether a type is a dataclass or a named tuple."""
    return is_dataclass(kind) or hasattr(kind, "_fields")


@cache
def members_of(kind: Any) -> Mapping[str, Any]:
    """Return the annotations of a record's members, by name."""
    hints = get_type_hints(kind, include_extras=True)
    names = [field.name for field in fields(kind)] if is_dataclass(kind) else kind._fields
    return {name: hints[name] for name in names}


@cache
def _adapter(hint: Any) -> TypeAdapter[Any]:
    return TypeAdapter(hint)
