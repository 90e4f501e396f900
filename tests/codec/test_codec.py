"""Every value of every game survives the wire, and garbage from it is refused as such."""

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.codec import turns
from arena.codec.game_codec import CODECS
from arena.codec.malformed import MalformedError
from arena.games import GAMES
from arena.games.game import DEALER, IllegalActionError
from arena.v1 import game_pb2
from tests.games.contract import Case, Step, cases, playout
from tests.thoroughness import tries

SEEDS = range(tries(2, quick=1))

every_case = pytest.mark.parametrize("case", cases(), ids=str)
every_game = pytest.mark.parametrize("name", GAMES)

ENVELOPES: dict[str, type[Message]] = {
    "options": game_pb2.Options,
    "action": game_pb2.Action,
    "draw": game_pb2.Draw,
    "view": game_pb2.View,
    "event": game_pb2.Event,
}


@cache
def steps_of(case: Case) -> list[Step]:
    return [step for seed in SEEDS for step in playout(case, seed)]


@cache
def questions(name: str) -> list[tuple[Case, Any, int]]:
    """Some moments of a game in which a seat is asked, from all over its variants."""
    return [
        (case, step.before, step.actor)
        for case in cases()
        if case.name == name
        for step in [one for one in steps_of(case) if one.actor is not DEALER][::7]
    ]


def sent(kind: str, name: str, value: Any, *where: int) -> Any:
    """What arrives of a value that was sent in its envelope."""
    envelope = ENVELOPES[kind]
    message: Any = envelope()
    codec = CODECS[name]
    if kind in ("draw", "view", "event"):
        getattr(message, name).MergeFromString(getattr(codec, f"{kind}_bytes")(value))
    else:
        getattr(codec, f"write_{kind}")(value, getattr(message, name))
    arrived: Any = envelope.FromString(message.SerializeToString())
    assert arrived.WhichOneof("game") == name, f"{value} leaves its envelope empty"
    return getattr(CODECS[name], f"read_{kind}")(getattr(arrived, name), *where)


@every_case
def test_every_value_of_a_match_survives_the_codec(case: Case) -> None:
    game, name = case.game, case.name
    assert sent("options", name, game.options) == game.options
    assert type(sent("options", name, game.options)) is type(game.options)
    for step in steps_of(case):
        kind = "draw" if step.actor is DEALER else "action"
        assert same(sent(kind, name, step.action), step.action)
        if step.actor is not DEALER:
            view = game.view(step.before, step.actor)
            assert same(sent("view", name, view, step.actor), view)
        for event in game.events(step.before, step.actor, step.action, step.after):
            assert same(sent("event", name, event), event)


def same(arrived: Any, original: Any) -> bool:
    # Their texts too: 1 and True are equal, a card and its number as well.
    return bool(arrived == original and repr(arrived) == repr(original))


@every_case
def test_a_bot_finds_the_same_choices_in_a_view_that_was_sent(case: Case) -> None:
    for step in steps_of(case)[::5]:
        if step.actor is not DEALER:
            view = case.game.view(step.before, step.actor)
            arrived = sent("view", case.name, view, step.actor)
            assert list(case.game.choices(arrived)) == list(case.game.choices(view))


def garbage(descriptor: Any, make: Callable[[], Any]) -> st.SearchStrategy[Any]:
    """Messages whose fields hold anything that parses, empty and overlong ones included."""
    # The bytes of a field are drawn one by one; a field may come twice or contradict its oneof.
    parts = [_field(field) for field in descriptor.fields]
    fields = st.lists(st.one_of(parts), max_size=4) if parts else st.just([])
    return fields.map(lambda drawn: _parsed(make(), b"".join(drawn)))


def _field(field: FieldDescriptor) -> st.SearchStrategy[bytes]:
    if field.message_type is not None:
        inner = [_field(each) for each in field.message_type.fields]
        content = st.lists(st.one_of(inner), max_size=6).map(b"".join) if inner else st.just(b"")
        return content.map(lambda data: _tag(field, 2) + _varint(len(data)) + data)
    numbers = st.one_of(st.integers(0, 20), st.integers(-(2**31), 2**31 - 1))
    if field.type == FieldDescriptor.TYPE_STRING:
        texts = st.text(max_size=5).map(str.encode)
        return texts.map(lambda data: _tag(field, 2) + _varint(len(data)) + data)
    one = numbers.map(lambda number: _tag(field, 0) + _varint(number))
    return st.one_of(one, one.map(lambda data: data * 300)) if field.is_repeated else one


def _tag(field: FieldDescriptor, wire_type: int) -> bytes:
    return _varint(field.number << 3 | wire_type)


def _varint(number: int) -> bytes:
    number %= 2**64
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    data.append(number)
    return bytes(data)


def _parsed(message: Any, data: bytes) -> Any:
    message.ParseFromString(data)
    return message


quick = settings(
    max_examples=tries(250, quick=62),
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.slow
@every_game
@quick
@given(data=st.data())
def test_an_action_of_garbage_is_malformed_or_refused_by_the_rules(
    name: str, data: st.DataObject
) -> None:
    member = game_pb2.Action.DESCRIPTOR.fields_by_name[name]
    message = game_pb2.Action()
    if data.draw(st.booleans(), label="as an action of the game"):
        inner = data.draw(garbage(member.message_type, getattr(message, name).__class__))
        getattr(message, name).CopyFrom(inner)
        getattr(message, name).SetInParent()
    else:
        try:
            message.ParseFromString(data.draw(st.binary(max_size=60)))
        except DecodeError:
            return  # such bytes end the stream before the codec sees them
    try:
        action = turns.action(name, message)
    except MalformedError:
        return
    asked = questions(name)
    case, state, seat = asked[data.draw(st.integers(0, len(asked) - 1), label="when")]
    legal = set(case.game.legal_actions(state, seat))
    try:
        case.game.apply(state, seat, action)
    except IllegalActionError:
        assert action not in legal
    else:
        assert action in legal


@pytest.mark.slow
@every_game
@quick
@given(data=st.data())
def test_reading_garbage_raises_nothing_but_malformed(name: str, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(list(ENVELOPES)))
    member: Any = ENVELOPES[kind].DESCRIPTOR.fields_by_name[name]
    make = getattr(ENVELOPES[kind](), name).__class__
    message = data.draw(garbage(member.message_type, make))
    seat = (0,) if kind == "view" else ()
    with suppress(MalformedError):
        getattr(CODECS[name], f"read_{kind}")(message, *seat)


@every_game
def test_an_empty_message_is_malformed_where_one_thing_must_be_chosen(name: str) -> None:
    for kind in ("options", "action", "draw", "event"):
        message = getattr(ENVELOPES[kind](), name)
        with pytest.raises(MalformedError):
            getattr(CODECS[name], f"read_{kind}")(message)


@every_game
def test_an_answer_of_another_game_is_malformed(name: str) -> None:
    for other in GAMES:
        message = game_pb2.Action()
        if other != name:
            getattr(message, other).SetInParent()
            with pytest.raises(MalformedError, match=rf"an action of {other}: .*Action\.{name}\b"):
                turns.action(name, message)


@every_game
def test_an_empty_answer_is_malformed_and_its_reason_points_to_the_log(name: str) -> None:
    with pytest.raises(MalformedError, match=rf"no action: the bot's log .*Action\.{name}\b"):
        turns.action(name, game_pb2.Action())


@every_game
def test_what_is_no_action_cannot_be_written(name: str) -> None:
    for nonsense in (None, 17, "doubt", object(), *draws(name)):
        message = getattr(game_pb2.Action(), name)
        with pytest.raises((TypeError, ValueError)):
            CODECS[name].write_action(nonsense, message)


@every_game
def test_what_is_no_draw_cannot_be_written(name: str) -> None:
    actions = [
        step.action
        for case in cases()
        if case.name == name
        for step in steps_of(case)[:50]
        if step.actor is not DEALER
    ]
    assert actions
    for nonsense in (None, 17, "roll", object(), *actions):
        with pytest.raises(TypeError):
            CODECS[name].draw_bytes(nonsense)


def draws(name: str) -> list[Any]:
    return [
        step.action
        for case in cases()
        if case.name == name
        for step in steps_of(case)[:50]
        if step.actor is DEALER
    ]
