"""The keys of each game's view and event in a View and an Event, which hold one field."""

from typing import Final

from arena.codec.fields import key
from arena.games.by_game import ByGame
from arena.v1 import game_pb2

VIEWS: Final = ByGame(lambda kit: key(game_pb2.View, kit.name))
EVENTS: Final = ByGame(lambda kit: key(game_pb2.Event, kit.name))
