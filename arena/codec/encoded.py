"""The keys of each game's draw, view and event in a Draw, a View and an Event.

Each of these messages holds one field.
"""

from typing import Final

from arena.codec.fields import key
from arena.games.by_game import ByGame
from arena.v1 import game_pb2

DRAWS: Final = ByGame(lambda kit: key(game_pb2.Draw, kit.name))
VIEWS: Final = ByGame(lambda kit: key(game_pb2.View, kit.name))
EVENTS: Final = ByGame(lambda kit: key(game_pb2.Event, kit.name))
