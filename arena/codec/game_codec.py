"""The interface of a game's codec, and the table of all codecs."""

from collections.abc import Sequence
from typing import Any, Final, Protocol

from arena.codec.plain_codec import PlainCodec
from arena.games import GameKit
from arena.games.by_game import ByGame
from arena.games.game import Options


class GameCodec(Protocol):
    """The codec of one game.

    Draws, views and events, which are written most often, are bytes (see `fields`).
    """

    def write_options(self, options: Any, message: Any) -> None:
        """Write options into a message."""
        ...

    def read_options(self, message: Any) -> Options:
        """Return the options.

        Raises MalformedError if the game does not accept them.
        """

    def write_action(self, action: Any, message: Any) -> None:
        """Write an action into a message."""
        ...

    def read_action(self, message: Any) -> Any:
        """Return the action; the game decides whether it is legal.

        Raises MalformedError if the message holds none.
        """

    def draw_bytes(self, draw: Any) -> bytes:
        """Return the bytes of the message of a draw of the dealer.

        Raises TypeError for a seat's action.
        """
        ...

    def read_draw(self, message: Any) -> Any:
        """Return the draw.

        Raises MalformedError if the message holds none.
        """

    def view_bytes(self, view: Any) -> bytes:
        """Return the bytes of a view's message."""
        ...

    def read_view(self, message: Any, seat: int) -> Any:
        """Return the view of a seat that has a turn.

        Raises MalformedError if the message holds none.
        """

    def read_public_view(self, message: Any, to_act: Sequence[int]) -> Any:
        """Return the spectator's view, while the seats `to_act` are asked.

        Raises MalformedError if the message holds none.
        """

    def event_bytes(self, event: Any) -> bytes:
        """Return the bytes of an event's message."""
        ...

    def read_event(self, message: Any) -> Any:
        """Return the event.

        Raises MalformedError if the message holds none.
        """


def _codec(kit: GameKit) -> GameCodec:
    part = kit.part("codec")
    codec: GameCodec = PlainCodec(kit.game) if part is None else part.CODEC
    return codec


CODECS: Final = ByGame(_codec)
"""The codecs by game id.

The id is also the name of the game's member in the oneofs of game.proto.
"""
