"""The default codec, for a game whose messages have the same structure and names as its classes.

A class is the message whose fields have the names of its own; a union of classes is a message with
a oneof, whose members have their types' names (see Notation). A tuple is a repeated field; a tuple
within a tuple, a repeated message of one repeated field. An enum's value NAME is the number
ENUM_NAME, and so is a word of an option. None is an absent field.

The games played most have codecs of their own, which cache recurring parts; they may still derive
that of their events (`EventCodec`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import EnumType
from types import NoneType, UnionType
from typing import Any, Protocol, Union, get_args, get_origin, get_type_hints

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message_factory import GetMessageClass

from arena.codec.malformed import MalformedError
from arena.codec.options_reading import validated
from arena.codec.wire_numbers import enum_numbers, enum_values
from arena.games.game import AnyGame, Options
from arena.games.notation import type_name
from arena.v1 import game_pb2


class EventCodec:
    """A codec of a game's events, derived from its classes and its messages; see GameCodec."""

    def __init__(self, game: type[AnyGame]) -> None:
        """Derive the codec of a game's events.

        Raises KeyError as PlainCodec does.
        """
        self._event = _OneOf(game.view_notation.events, _envelope("Event", game))
        self._new_event = GetMessageClass(_envelope("Event", game))

    def event_bytes(self, event: Any) -> bytes:
        """Return the bytes of an event's message."""
        message = self._new_event()
        self._event.write(event, message)
        return message.SerializeToString()

    def read_event(self, message: Any) -> Any:
        """Return the event."""
        return self._event.read(message)


class PlainCodec(EventCodec):
    """A codec derived from a game's classes and its messages; see GameCodec."""

    def __init__(self, game: type[AnyGame]) -> None:
        """Derive the codec of a game.

        Raises KeyError if game.proto lacks the game, a message a field, a oneof a member, or an
        enum a number.
        """
        answers, names = game.view_notation.choices, game.notation.names
        draws = {kind: name for kind, name in names.items() if kind not in answers}
        self._options_type = game.options_type
        self._options = _members(game.options_type, _envelope("Options", game), but=None)
        self._action = _OneOf({kind: names[kind] for kind in answers}, _envelope("Action", game))
        self._draw = _OneOf(draws, _envelope("Draw", game))
        self._view = _Record(game.view_notation.view, _envelope("View", game), but="seat")
        self._new_draw = GetMessageClass(_envelope("Draw", game))
        self._new_view = GetMessageClass(_envelope("View", game))
        super().__init__(game)

    def write_options(self, options: Any, message: Any) -> None:
        """Write options into a message."""
        for name, member in self._options.items():
            member.write(getattr(options, name), message)

    def read_options(self, message: Any) -> Options:
        """Return the options."""
        read = {name: member.read(message) for name, member in self._options.items()}
        return validated(self._options_type, read)

    def write_action(self, action: Any, message: Any) -> None:
        """Write an action into a message."""
        self._action.write(action, message)

    def read_action(self, message: Any) -> Any:
        """Return the action."""
        return self._action.read(message)

    def draw_bytes(self, draw: Any) -> bytes:
        """Return the bytes of the message of a draw of the dealer."""
        message = self._new_draw()
        self._draw.write(draw, message)
        return message.SerializeToString()

    def read_draw(self, message: Any) -> Any:
        """Return the draw."""
        return self._draw.read(message)

    def view_bytes(self, view: Any) -> bytes:
        """Return the bytes of a view's message."""
        message = self._new_view()
        self._view.write(view, message)
        return message.SerializeToString()

    def read_view(self, message: Any, seat: int) -> Any:
        """Return the view of a seat."""
        return self._view.read(message, seat=seat)

    def read_public_view(self, message: Any, to_act: Sequence[int]) -> Any:  # noqa: ARG002
        """Return the spectator's view."""
        return self._view.read(message, seat=None)


class _Part(Protocol):
    """A value that is a message of its own, or a field of one."""

    def write(self, value: Any, message: Any) -> None: ...
    def read(self, message: Any) -> Any: ...


class _Record:
    """The codec of a dataclass."""

    def __init__(self, kind: type, descriptor: Descriptor, but: str = "") -> None:
        """Match the class's fields with the message's; `but` is a field that the message lacks."""
        self._kind = kind
        self._members = _members(kind, descriptor, but)

    def write(self, value: Any, message: Any) -> None:
        for name, member in self._members.items():
            member.write(getattr(value, name), message)

    def read(self, message: Any, **others: Any) -> Any:
        members = {name: member.read(message) for name, member in self._members.items()}
        return self._kind(**others, **members)


class _OneOf:
    """The codec of a value of one of several dataclasses, by the names of the oneof's members."""

    def __init__(self, names: Mapping[type, str], descriptor: Descriptor) -> None:
        (self._oneof,) = descriptor.oneofs
        fields = descriptor.fields_by_name
        self._names = names
        self._parts = {name: _Record(kind, _type_of(fields[name])) for kind, name in names.items()}

    def write(self, value: Any, message: Any) -> None:
        name = self._names.get(type(value))
        if name is None:
            raise TypeError(f"{value!r} is none of {', '.join(self._parts)}")
        member = getattr(message, name)
        member.SetInParent()
        self._parts[name].write(value, member)

    def read(self, message: Any) -> Any:
        name = message.WhichOneof(self._oneof.name)
        if name is None:
            raise MalformedError(f"the {self._oneof.name} is none of {', '.join(self._parts)}")
        return self._parts[name].read(getattr(message, name))


@dataclass(frozen=True, slots=True)
class _Number:
    """The codec of a number, a truth value, a text or a word in a field."""

    name: str
    to: Callable[[Any], Any]
    of: Callable[[Any], Any]

    def write(self, value: Any, message: Any) -> None:
        setattr(message, self.name, self.to(value))

    def read(self, message: Any) -> Any:
        return self.of(getattr(message, self.name))


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The codec of several such values in a repeated field."""

    name: str
    to: Callable[[Any], Any]
    of: Callable[[Any], Any]

    def write(self, value: Any, message: Any) -> None:
        getattr(message, self.name).extend(map(self.to, value))

    def read(self, message: Any) -> Any:
        return tuple(map(self.of, getattr(message, self.name)))


@dataclass(frozen=True, slots=True)
class _Message:
    """The codec of a message in a field."""

    name: str
    part: _Part

    def write(self, value: Any, message: Any) -> None:
        member = getattr(message, self.name)
        member.SetInParent()
        self.part.write(value, member)

    def read(self, message: Any) -> Any:
        if not message.HasField(self.name):
            raise MalformedError(f"{self.name} is missing")
        return self.part.read(getattr(message, self.name))


@dataclass(frozen=True, slots=True)
class _Messages:
    """The codec of several messages in a repeated field."""

    name: str
    part: _Part

    def write(self, value: Any, message: Any) -> None:
        add = getattr(message, self.name).add
        for item in value:
            self.part.write(item, add())

    def read(self, message: Any) -> Any:
        return tuple([self.part.read(item) for item in getattr(message, self.name)])


@dataclass(frozen=True, slots=True)
class _Perhaps:
    """The codec of a field that is absent for None."""

    name: str
    part: _Part

    def write(self, value: Any, message: Any) -> None:
        if value is not None:
            self.part.write(value, message)

    def read(self, message: Any) -> Any:
        return self.part.read(message) if message.HasField(self.name) else None


def _members(kind: type, descriptor: Descriptor, but: str | None) -> dict[str, _Part]:
    """Return the codecs of a class's fields that its message has, by name.

    These are all but the field `but`; with None, those that the message has.
    """
    hints = {
        name: hint
        for name, hint in get_type_hints(kind).items()
        if name != but and name != "model_config"
    }
    fields = descriptor.fields_by_name
    if but is None:  # options with a single possible value have no field
        hints = {name: hint for name, hint in hints.items() if name in fields}
    return {name: _member(hint, fields[name]) for name, hint in hints.items()}


def _member(hint: Any, field: FieldDescriptor) -> _Part:
    """Return the codec of a message's field that holds a value of that type."""
    if NoneType in get_args(hint):
        rest = tuple(each for each in get_args(hint) if each is not NoneType)
        return _Perhaps(field.name, _member(Union[rest], field))  # noqa: UP007 - from a tuple
    if get_origin(hint) is tuple and field.is_repeated:
        item = get_args(hint)[0]
        if field.message_type is not None:
            return _Messages(field.name, _message(item, field.message_type))
        return _Numbers(field.name, *_number(item, field.enum_type))
    if field.message_type is not None:
        return _Message(field.name, _message(hint, field.message_type))
    return _Number(field.name, *_number(hint, field.enum_type))


def _message(hint: Any, descriptor: Descriptor) -> _Part:
    """Return the codec of a message that represents a value of that type."""
    if get_origin(hint) is tuple:
        (field,) = descriptor.fields
        return _member(hint, field)
    if get_origin(hint) in (Union, UnionType):
        return _OneOf({kind: type_name(kind) for kind in get_args(hint)}, descriptor)
    return _Record(hint, descriptor)


def _number(hint: Any, enum: EnumDescriptor | None) -> tuple[Callable[[Any], Any], ...]:
    """Return the functions that convert a value for a field, and back."""
    if enum is None:
        return _same, _same
    words = get_args(hint) or hint
    assert isinstance(words, tuple | EnumType), f"{hint} is no number of {enum.name}"
    numbers, values = enum_numbers(words, enum), enum_values(words, enum)

    def read(number: int) -> Any:
        if number not in values:
            raise MalformedError(f"{number} is no {enum.name}")
        return values[number]

    return numbers.__getitem__, read


def _envelope(kind: str, game: type[AnyGame]) -> Descriptor:
    """Return the game's message within one of the envelopes of game.proto."""
    fields = game_pb2.DESCRIPTOR.message_types_by_name[kind].fields_by_name
    if game.name not in fields:
        raise KeyError(f"proto/arena/v1/game.proto: {kind} has no member {game.name}")
    return _type_of(fields[game.name])


def _type_of(field: FieldDescriptor) -> Descriptor:
    """Return the message type of a oneof's field."""
    assert field.message_type is not None, f"{field.full_name} is no message"
    return field.message_type


def _same(value: Any) -> Any:
    return value
