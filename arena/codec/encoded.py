"""Views and events as the encoded messages that hold them, written without building a message."""

from typing import Any

from arena.codec.fields import field, key
from arena.codec.game_codec import CODECS
from arena.v1 import game_pb2

_VIEWS = {game: key(game_pb2.View, game) for game in CODECS}
_EVENTS = {game: key(game_pb2.Event, game) for game in CODECS}


def encoded_view(game: str, view: Any) -> bytes:
    """A seat's or the spectator's view of a game as a View."""
    return field(_VIEWS[game], CODECS[game].view_bytes(view))


def encoded_event(game: str, event: Any) -> bytes:
    """An event of a game as an Event."""
    return field(_EVENTS[game], CODECS[game].event_bytes(event))
