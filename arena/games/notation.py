"""Actions as JSON values, the form that transcripts and the command line use.

An action is an object whose `type` is its class's name in snake case; the other members are the
dataclass's fields: {"type": "bet", "quantity": 3, "face": "*"}. Fields at their default are left
out.
"""

import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from pydantic import TypeAdapter, ValidationError


class NotationError(ValueError):
    """A JSON value that is no action of the game; the message names what is wrong."""


class Notation:
    """Reads and writes the action classes of one game."""

    def __init__(self, *kinds: type) -> None:
        self._names = {
            kind: re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower() for kind in kinds
        }
        self._kinds = {name: kind for kind, name in self._names.items()}
        self._adapters: dict[type, TypeAdapter[Any]] = {}

    def to_json(self, action: Any) -> dict[str, Any]:
        """The JSON object of an action."""
        kind = type(action)
        members = self._adapter(kind).dump_python(action, mode="json")
        defaults = {
            field.name: field.default for field in fields(kind) if field.default is not MISSING
        }
        present = {
            name: member
            for name, member in members.items()
            if name not in defaults or getattr(action, name) != defaults[name]
        }
        return {"type": self._names[kind], **present}

    def from_json(self, value: object) -> Any:
        """The action of a JSON object. Raises NotationError."""
        if not isinstance(value, Mapping):
            raise NotationError(f"an action is a JSON object, not {value!r}")
        name = value.get("type")
        kind = self._kinds.get(name) if isinstance(name, str) else None
        if kind is None:
            raise NotationError(f"unknown action type {name!r}; known: {', '.join(self._kinds)}")
        members = {key: member for key, member in value.items() if key != "type"}
        unknown = set(members) - {field.name for field in fields(kind)}
        if unknown:
            raise NotationError(f"{name} has no member {', '.join(sorted(map(str, unknown)))}")
        try:
            return self._adapter(kind).validate_python(members)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or name
            raise NotationError(f"{name}: {where}: {first['msg']}") from error

    def _adapter(self, kind: type) -> TypeAdapter[Any]:
        # Built on first use: importing a game costs a bot author nothing.
        if kind not in self._adapters:
            self._adapters[kind] = TypeAdapter(kind)
        return self._adapters[kind]
