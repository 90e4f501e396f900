"""Views and events as encoded messages, written without building a message object."""

from typing import Any

from arena.codec.fields import field, key
from arena.codec.game_codec import CODECS
from arena.games.by_game import ByGame
from arena.v1 import game_pb2

_VIEWS = ByGame(lambda kit: key(game_pb2.View, kit.name))
_EVENTS = ByGame(lambda kit: key(game_pb2.Event, kit.name))


def encoded_view(game: str, view: Any) -> bytes:
    """Return a seat's or the spectator's view of a game as the bytes of a View."""
    return field(_VIEWS[game], CODECS[game].view_bytes(view))


def encoded_event(game: str, event: Any) -> bytes:
    """Return an event of a game as the bytes of an Event."""
    return field(_EVENTS[game], CODECS[game].event_bytes(event))
