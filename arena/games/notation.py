"""The JSON form of actions, used by transcripts and the command line.

An action is an object whose `type` is the name of its class in snake case; the other members are
the fields of the dataclass: {"type": "bet", "quantity": 3, "face": "*"}. Fields with their default
value are omitted.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any

from pydantic import TypeAdapter, ValidationError

from arena.errors import any_failure
from arena.validation_errors import error_text, json_excerpt, path_text, shown


class NotationError(ValueError):
    """The error for a JSON value that is not an action; the message says where and why."""


def type_name(kind: type) -> str:
    """Return the member `type` for values of a class: the class name in snake case."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


class Notation:
    """The reader and writer of one game's actions as JSON.

    The type of an action is the name of its class, `starting_roll` for StartingRoll, unless given
    explicitly.

    Args:
        *kinds: Action classes whose type follows from their name.
        **named: Action classes by an explicit type.
    """

    def __init__(self, *kinds: type, **named: type) -> None:
        self._names = {kind: type_name(kind) for kind in kinds} | {
            kind: name for name, kind in named.items()
        }
        self._kinds = {name: kind for kind, name in self._names.items()}
        # For most draws: their only member sorts before "type" and has no default.
        self._endings = {
            kind: f',"type":"{name}"}}'
            for kind, name in self._names.items()
            for members in [fields(kind)]
            if len(members) == 1 and members[0].default is MISSING and members[0].name < "type"
        }
        self._adapters: dict[type, TypeAdapter[Any]] = {}

    @property
    def names(self) -> Mapping[type, str]:
        """The type of each action class."""
        return self._names

    def name_of(self, kind: type) -> str | None:
        """Return the type of actions of this class; None if it is not an action class."""
        return self._names.get(kind)

    def defaults(self, kind: type) -> dict[str, Any]:
        """Return the defaults, by name, of the members that are omitted at their default."""
        return {field.name: field.default for field in fields(kind) if field.default is not MISSING}

    def to_json(self, action: Any) -> dict[str, Any]:
        """Return an action as a JSON object."""
        kind = type(action)
        members = self._adapter(kind).dump_python(action, mode="json")
        defaults = self.defaults(kind)
        present = {
            name: member
            for name, member in members.items()
            if name not in defaults or getattr(action, name) != defaults[name]
        }
        return {"type": self._names[kind], **present}

    def to_text(self, action: Any) -> str:
        """Return an action as canonical JSON (RFC 8785)."""
        kind = type(action)
        ending = self._endings.get(kind)
        if ending is not None:
            return self._adapter(kind).dump_json(action).decode()[:-1] + ending
        return json.dumps(
            self.to_json(action), sort_keys=True, separators=(",", ":"), ensure_ascii=False
        )

    def from_json(
        self,
        value: object,
        within: Sequence[int | str] = (),
        among: Collection[type] | None = None,
    ) -> Any:
        """Return the action that a JSON object describes.

        Nothing is converted: a number as text, or true for 1, is refused.

        Args:
            value: The parsed JSON value.
            within: The path to the value, for error messages.
            among: The allowed action classes; None allows all.

        Raises:
            NotationError: The value is not an allowed action of the game.
        """
        if not isinstance(value, Mapping):
            where = path_text(within) or "the action"
            raise NotationError(f"{where}: found {json_excerpt(value)}; allowed is an object")
        if "type" not in value:
            raise NotationError(f"{path_text((*within, 'type'))} is missing")
        name = value["type"]
        kind = self._kinds.get(name) if isinstance(name, str) else None
        if kind is None or (among is not None and kind not in among):
            allowed = self._names if among is None else among
            known = ", ".join(f'"{self._names[kind]}"' for kind in allowed)
            where = path_text((*within, "type"))
            raise NotationError(f"{where}: found {json_excerpt(name)}; allowed is one of {known}")
        members = {key: member for key, member in value.items() if key != "type"}
        for key in members.keys() - {field.name for field in fields(kind)}:
            raise NotationError(f"{path_text((*within, key))}: {name} has no such member")
        try:
            # As JSON, because only there strict validation accepts lists for tuples.
            return self._adapter(kind).validate_json(json.dumps(members), strict=True)
        except ValidationError as error:
            raise NotationError(error_text(error, within, name)) from error

    def understood(self, value: object) -> Any:
        """Return an equal action of the game, rebuilt from plain values; None if there is none.

        A bot may return any object, such as a value of another type, or an action with a member
        that no action has.
        """
        kind = type(value)
        if kind not in self._names:
            return None
        try:
            adapter = self._adapter(kind)
            text = adapter.dump_json(value, warnings="error")
            action = adapter.validate_json(text, strict=True)
            return action if action == value else None
        except any_failure():  # anything that an untrusted object raises on access
            return None

    def as_sent(self, value: object) -> Any:
        """Return the rebuilt action, or a text that shows a value that is not an action.

        Both are plain values, which can be stored and passed to other processes.
        """
        action = self.understood(value)
        return shown(value) if action is None else action

    def _adapter(self, kind: type) -> TypeAdapter[Any]:
        # Built on first use, so that importing a game stays fast.
        if kind not in self._adapters:
            self._adapters[kind] = TypeAdapter(kind)
        return self._adapters[kind]
