"""A bot of this version at a referee of a later one."""

from arena.codec.bot_side import read_events
from arena.games.bluff import BluffRoundStarted
from arena.v1 import bloeff_pb2, bluff_pb2, game_pb2


def test_events_that_are_not_known_are_left_out() -> None:
    unknown = game_pb2.Event()
    unknown.MergeFromString(b"\xfa\x3f\x03new")  # field 1023, of bytes
    of_bluff = game_pb2.Event(bluff=bluff_pb2.BluffEvent())
    started = game_pb2.Event()
    started.bluff.round_started.round = 2
    events = read_events("bluff", [unknown, started, of_bluff])
    assert events == (BluffRoundStarted(2, 0, ()),)


def test_an_event_with_a_value_that_is_not_known_is_left_out() -> None:
    drawn = game_pb2.Event(bloeff=bloeff_pb2.BloeffEvent())
    drawn.bloeff.cards_drawn.cause = 99  # type: ignore[assignment]
    assert read_events("bloeff", [drawn]) == ()
