"""The codec of a game, derived from its classes and its messages.

A class corresponds to a message whose fields have the names of its members; a union of classes to a
message with a oneof, whose members have the type names of the classes (see Notation). A tuple is a
repeated field; a tuple within a tuple, a repeated message of one repeated field. An enum's value
NAME is the number ENUM_NAME, and so is a word of an option. None is an absent field; a field
without presence is always read.

The message of a view lacks its seat, which the reader knows, and may lack `to_act` if only one seat
is asked at a time. Options with a single allowed value have no field. An option of two words may be
a truth value (`flag`). A game whose messages differ further passes its own members to the codec, or
overrides methods.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import EnumType
from functools import cached_property
from operator import attrgetter
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Final, TypeAlias, Union, get_args, get_origin, get_type_hints

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from pydantic import ValidationError

from arena.codec.malformed import MalformedError
from arena.codec.wire_numbers import enum_numbers, enum_values
from arena.games.game import AnyGame, Options
from arena.games.notation import type_name
from arena.v1 import game_pb2

Convert: TypeAlias = Callable[[Any], Any]


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class Member:
    """The codec of one member of a class in a field of its message."""

    field: str
    """The name of the field."""
    write: Convert
    """Returns the field's content as the message's constructor takes it; None omits the field."""
    read: Convert
    """Returns the member's value from the message that has the field."""


def flag(field: str, yes: str, no: str) -> Member:
    """Return the codec of an option of two words as a truth value: `yes` is true, `no` false."""
    content = {yes: True, no: False}.__getitem__
    return Member(field, content, lambda message: yes if getattr(message, field) else no)


_NONE: Final[Mapping[str, Member]] = MappingProxyType({})


class PlainCodec:
    """The codec of one game.

    Draws, views and events, which are written most often, are bytes (see `fields`).

    Args:
        game: The game.
        options: The codecs of options that are not derived, by option.
        view: The codecs of members of the view that are not derived, by member.
    """

    def __init__(
        self,
        game: type[AnyGame],
        options: Mapping[str, Member] = _NONE,
        view: Mapping[str, Member] = _NONE,
    ) -> None:
        """Derive the codec of the options; the other codecs are derived on first use.

        Raises KeyError if game.proto lacks the game. Every derivation also raises KeyError if a
        message lacks a field, a oneof a member, or an enum a number.
        """
        self._game = game
        self._own_view = view
        kind = game.options_type
        # An option with a single allowed value has no field.
        fixed = get_type_hints(kind)
        self._options = _record(kind, _envelope("Options", game), options, absent=fixed)

    @cached_property
    def _action(self) -> "_OneOf":
        names = self._game.notation.names
        choices = {kind: names[kind] for kind in self._game.view_notation.choices}
        return _OneOf(choices, _envelope("Action", self._game))

    @cached_property
    def _draw(self) -> "_OneOf":
        names, choices = self._game.notation.names, self._game.view_notation.choices
        draws = {kind: name for kind, name in names.items() if kind not in choices}
        return _OneOf(draws, _envelope("Draw", self._game))

    @cached_property
    def _view(self) -> "_Record":
        kind, message = self._game.view_notation.view, _envelope("View", self._game)
        return _record(kind, message, self._own_view, absent=("seat", "to_act"))

    @cached_property
    def _event(self) -> "_OneOf":
        return _OneOf(self._game.view_notation.events, _envelope("Event", self._game))

    def write_options(self, options: Any, message: Any) -> None:
        """Write options into a message."""
        message.MergeFrom(self._options.message(options))

    def read_options(self, message: Any) -> Options:
        """Return the options. Raises MalformedError if the game does not accept them."""
        return _validated(self._game.options_type, self._options.read_members(message))

    def write_action(self, action: Any, message: Any) -> None:
        """Write an action into a message.

        Raises TypeError or ValueError if it is not a seat's, or the message cannot represent it.
        """
        message.MergeFrom(self._action.message(action))

    def read_action(self, message: Any) -> Any:
        """Return the action; the game decides whether it is legal.

        Raises MalformedError if the message holds none.
        """
        return self._action.read(message)

    def draw_bytes(self, draw: Any) -> bytes:
        """Return the bytes of the message of a draw of the dealer.

        Raises TypeError for a seat's action.
        """
        return self._draw.message(draw).SerializeToString()

    def read_draw(self, message: Any) -> Any:
        """Return the draw. Raises MalformedError if the message holds none."""
        return self._draw.read(message)

    def view_bytes(self, view: Any) -> bytes:
        """Return the bytes of a view's message."""
        return self._view.message(view).SerializeToString()

    def read_view(self, message: Any, seat: int) -> Any:
        """Return the view of a seat that has a turn.

        Raises MalformedError if the message holds none.
        """
        return self._read_view(message, seat, seat)

    def read_public_view(self, message: Any, to_act: Sequence[int]) -> Any:
        """Return the spectator's view, while the seats `to_act` are asked.

        Raises MalformedError if the message holds none.
        """
        return self._read_view(message, None, next(iter(to_act), None))

    def event_bytes(self, event: Any) -> bytes:
        """Return the bytes of an event's message."""
        return self._event.message(event).SerializeToString()

    def read_event(self, message: Any) -> Any:
        """Return the event. Raises MalformedError if the message holds none."""
        return self._event.read(message)

    def _read_view(self, message: Any, seat: int | None, to_act: Any) -> Any:
        """Return the view of a seat or the spectator; `to_act` is used if the message lacks it."""
        members = {"to_act": to_act} | self._view.read_members(message)
        return self._view.kind(**members, seat=seat)


class _Part(ABC):
    """The codec of a message."""

    def __init__(self, descriptor: Descriptor) -> None:
        self._new: type[Message] = GetMessageClass(descriptor)

    def message(self, value: Any) -> Message:
        """Return the message of a value."""
        return self._new(**self.content(value))

    @abstractmethod
    def content(self, value: Any) -> dict[str, Any]:
        """Return the content of the message's fields, as its constructor takes it."""

    @abstractmethod
    def read(self, message: Any) -> Any:
        """Return the value of a message."""


class _Record(_Part):
    """The codec of a class by its members, which are in the order of the class."""

    def __init__(self, kind: type, members: Mapping[str, Member], descriptor: Descriptor) -> None:
        super().__init__(descriptor)
        self.kind = kind
        self.members = members
        # One call gets all members and one names their fields: most members need no conversion.
        self._fields = [member.field for member in members.values()]
        self._get = _getter(list(members))
        self._writers = [
            (member.field, member.write) for member in members.values() if member.write is not _same
        ]
        self._readers = [member.read for member in members.values()]

    def content(self, value: Any) -> dict[str, Any]:
        content = dict(zip(self._fields, self._get(value)))  # noqa: B905 - strict takes longer
        for field, write in self._writers:
            content[field] = write(content[field])
        return content

    def read(self, message: Any) -> Any:
        return self.kind(*[read(message) for read in self._readers])

    def read_members(self, message: Any) -> dict[str, Any]:
        return {name: member.read(message) for name, member in self.members.items()}


class _OneOf(_Part):
    """The codec of a value of one of several classes, by the names of the oneof's members."""

    def __init__(self, names: Mapping[type, str], descriptor: Descriptor) -> None:
        super().__init__(descriptor)
        (oneof,) = descriptor.oneofs
        fields = descriptor.fields_by_name
        self._oneof = oneof.name
        parts = {kind: _record(kind, _type_of(fields[name])) for kind, name in names.items()}
        self._writers = {kind: (names[kind], part.content) for kind, part in parts.items()}
        self._readers = {names[kind]: part.read for kind, part in parts.items()}

    def content(self, value: Any) -> dict[str, Any]:
        found = self._writers.get(type(value))
        if found is None:
            raise TypeError(f"{value!r} is none of {', '.join(self._readers)}")
        name, content = found
        return {name: content(value)}

    def read(self, message: Any) -> Any:
        name = message.WhichOneof(self._oneof)
        if name is None:
            raise MalformedError(f"the {self._oneof} is none of {', '.join(self._readers)}")
        return self._readers[name](getattr(message, name))


class _Only(_Part):
    """The codec of a tuple in a message of one field."""

    def __init__(self, hint: Any, descriptor: Descriptor) -> None:
        super().__init__(descriptor)
        (field,) = descriptor.fields
        member = _member(hint, field)
        self._field, self._write, self._read = member.field, member.write, member.read

    def content(self, value: Any) -> dict[str, Any]:
        return {self._field: value if self._write is _same else self._write(value)}

    def read(self, message: Any) -> Any:
        return self._read(message)


def _getter(names: Sequence[str]) -> Callable[[Any], Sequence[Any]]:
    """Return a function that returns the named attributes of a value."""
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda _: ()
    (get,) = map(attrgetter, names)
    return lambda value: (get(value),)


def _record(
    kind: type,
    descriptor: Descriptor,
    own: Mapping[str, Member] = _NONE,
    absent: Collection[str] = (),
) -> _Record:
    """Return the codec of a class.

    Members in `own` have the codec given there. Members in `absent` are left out if the message
    lacks their field.
    """
    fields, members = descriptor.fields_by_name, {}
    for name, hint in get_type_hints(kind).items():
        if name in own:
            members[name] = own[name]
        elif name in fields or name not in absent:
            members[name] = _member(hint, fields[name])
    return _Record(kind, members, descriptor)


def _member(hint: Any, field: FieldDescriptor) -> Member:
    """Return the codec of a member of that type in a field."""
    name, get = field.name, attrgetter(field.name)
    if NoneType in get_args(hint):
        rest = tuple(each for each in get_args(hint) if each is not NoneType)
        return _optional(_member(Union[rest], field), field)  # noqa: UP007 - from a tuple
    if get_origin(hint) is tuple and field.is_repeated:
        write, read = _converters(get_args(hint)[0], field)
        if read is _same:
            return Member(name, write, lambda message: tuple(get(message)))
        return Member(
            name,
            lambda value: list(map(write, value)),
            lambda message: tuple(map(read, get(message))),
        )
    write, read = _converters(hint, field)
    if field.message_type is None:
        return Member(name, write, get if read is _same else lambda message: read(get(message)))

    def read_message(message: Any) -> Any:
        if not message.HasField(name):
            raise MalformedError(f"{name} is missing")
        return read(get(message))

    return Member(name, write, read_message)


def _optional(member: Member, field: FieldDescriptor) -> Member:
    """Return the codec of a member that may be None, given the codec of its other values."""
    name, write, read = member.field, member.write, member.read
    return Member(
        name,
        write if write is _same else lambda value: None if value is None else write(value),
        (lambda message: read(message) if message.HasField(name) else None)
        if field.has_presence
        else read,
    )


def _converters(hint: Any, field: FieldDescriptor) -> tuple[Convert, Convert]:
    """Return the functions from a value of a type to the content of a field, and back."""
    enum = field.enum_type
    if field.message_type is not None:
        part = _part(hint, field.message_type)
        return part.content, part.read
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


def _part(hint: Any, descriptor: Descriptor) -> _Part:
    """Return the codec of a message that represents a value of that type."""
    if get_origin(hint) is tuple:
        return _Only(hint, descriptor)
    if get_origin(hint) in (Union, UnionType):
        return _OneOf({kind: type_name(kind) for kind in get_args(hint)}, descriptor)
    return _record(hint, descriptor)


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


def _validated(kind: type[Options], values: dict[str, Any]) -> Options:
    """Return the options with these values. Raises MalformedError if the game refuses them."""
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        # The message omits the value itself: it is untrusted and of any size.
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the options"
        raise MalformedError(f"{where}: {first['msg']}") from None
