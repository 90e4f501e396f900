"""What a game's codec supplies, and the table of them."""

from typing import Any, Protocol

from arena.codec.bloeff import BloeffCodec
from arena.codec.bluff import BluffCodec
from arena.codec.bluff_you import BluffYouCodec
from arena.games.game import Options


class GameCodec(Protocol):
    """Translates one game. What is written most comes as the bytes of its message (see fields)."""

    def write_options(self, options: Any, message: Any) -> None: ...
    def read_options(self, message: Any) -> Options:
        """The options. Raises MalformedError."""

    def write_action(self, action: Any, message: Any) -> None: ...
    def read_action(self, message: Any) -> Any:
        """The action. Raises MalformedError; whether it is legal is the game's question."""

    def write_draw(self, draw: Any, message: Any) -> None: ...
    def read_draw(self, message: Any) -> Any:
        """The draw. Raises MalformedError."""

    def view_bytes(self, view: Any) -> bytes: ...
    def read_view(self, message: Any, seat: int) -> Any:
        """The view of a seat that is asked. Raises MalformedError."""

    def event_bytes(self, event: Any) -> bytes: ...
    def read_event(self, message: Any) -> Any:
        """The event. Raises MalformedError."""


CODECS: dict[str, GameCodec] = {
    "bluff": BluffCodec(),
    "bluff_you": BluffYouCodec(),
    "bloeff": BloeffCodec(),
}
"""By game id, which is also the name of the game's member in the envelopes of game.proto."""
