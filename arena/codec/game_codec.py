"""What a game's codec supplies, and the table of them."""

from typing import Any, Protocol

from arena.codec.bluff import BluffCodec
from arena.games.game import Options


class GameCodec(Protocol):
    """Translates one game. `write_*` fill a message in place, which is what is fast."""

    def write_options(self, options: Any, message: Any) -> None: ...
    def read_options(self, message: Any) -> Options: ...
    def write_action(self, action: Any, message: Any) -> None: ...
    def read_action(self, message: Any) -> Any:
        """The action. Raises MalformedError; whether it is legal is the game's question."""

    def write_draw(self, draw: Any, message: Any) -> None: ...
    def read_draw(self, message: Any) -> Any:
        """The draw. Raises MalformedError."""

    def write_view(self, view: Any, message: Any) -> None: ...
    def read_view(self, message: Any, seat: int) -> Any: ...
    def write_event(self, event: Any, message: Any) -> None: ...
    def read_event(self, message: Any) -> Any: ...


CODECS: dict[str, GameCodec] = {"bluff": BluffCodec()}
"""By game id, which is also the name of the game's member in the envelopes of game.proto."""
