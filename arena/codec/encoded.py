"""Views and events as encoded messages, written without building a message object."""

from typing import Any

from arena.codec.fields import field, key
from arena.codec.game_codec import CODECS
from arena.games.by_game import ByGame
from arena.v1 import game_pb2

_VIEWS = ByGame(lambda kit: key(game_pb2.View, kit.name))
_EVENTS = ByGame(lambda kit: key(game_pb2.Event, kit.name))


def view_field(game: str, view: Any, key: bytes) -> bytes:
    """Return a seat's or the spectator's view of a game as the field with this key, a View."""
    return field(_VIEWS[game], CODECS[game].view_bytes(view), key)


def event_field(game: str, event: Any, key: bytes) -> bytes:
    """Return an event of a game as the field with this key, an Event."""
    return field(_EVENTS[game], CODECS[game].event_bytes(event), key)
