"""The table of all codecs."""

from typing import Final

from arena.codec.plain_codec import PlainCodec
from arena.games import GameKit
from arena.games.by_game import ByGame


def _codec(kit: GameKit) -> PlainCodec:
    part = kit.part("codec")
    codec: PlainCodec = PlainCodec(kit.game) if part is None else part.CODEC
    return codec


CODECS: Final = ByGame(_codec)
"""The codecs by game id.

The id is also the name of the game's member in the oneofs of game.proto.
"""
