"""Running matches of Bluff for one referee: answers in, the next turns' bytes out."""

from collections.abc import Callable
from typing import Any, Final, Self, final

VERSION: Final[str]
"""The version of bluff-arena whose rules, draws and messages these are."""

@final
class Taken:
    """The answers of one message that can be played here."""

@final
class Matches:
    """The running matches of Bluff of one referee."""

    def __new__(
        cls,
        *,
        faces: tuple[Any, ...],
        bet: Callable[[int, Any, tuple[Any, ...]], Any],
        doubt: Any,
        cup_roll: Callable[[tuple[tuple[Any, ...], ...]], Any],
        starting_roll: Callable[[tuple[tuple[Any, ...], ...]], Any],
        opener_draw: Callable[[int], Any],
        reroll: Callable[[tuple[Any, ...]], Any],
        step: Callable[[tuple[Any, ...]], Any],
        dealer: Any,
    ) -> Self:
        """Return no matches yet, with what makes the values that are returned.

        `faces` are ascending. `step` gets one tuple: actor, action, milliseconds, None, False.
        """

    def begin(
        self,
        owner: object,
        match_id: str,
        options: tuple[int, bool, int, int, bool, bool],
        lines: list[int],
        key: bytes,
        turn_ms: int,
        bank_ms: int,
        now: float,
    ) -> tuple[int, bytes]:
        """Begin a match. Return the seat on turn, and its turn as encoded in a PlayResponse.

        `options` are of `compiled_options`; `lines` say by seat which bot's stream answers for it;
        `key` is the match key (32 bytes); `now` is in seconds. Raises ValueError for terms that no
        match has, and for a match that is held already.
        """

    def split(self, line: int, message: bytes, now: float) -> tuple[Taken | None, bytes]:
        """Return the answers of a PlayRequest that can be played, and the message without them.

        Taken are answers to open turns of the line's seats, in time, legal, with nothing beside
        them; of several to one match the first, if it is such an answer. All else stays in its
        order. A message that is odd as a whole is returned as it is. No match changes.
        """

    def play(self, taken: Taken, now: float) -> list[tuple[object, int, Any, int, int, bytes]]:
        """Play answers. Return the owner, seat, action, milliseconds, next seat and next turn.

        The next seat is -1, and the turn empty, at the end of a match. An answer whose turn is no
        longer open gives (None, 0, None, 0, -1, b"").
        """

    def asked_at(self, match_id: str) -> float:
        """Return when the open turn was put, in seconds. Raises KeyError."""

    def leave(
        self, match_id: str
    ) -> tuple[
        tuple[Any, ...],
        list[bytes],
        list[int],
        float,
        tuple[int, ...] | None,
        tuple[int, ...] | None,
    ]:
        """Take a match out.

        Return its steps, its public events as encoded in a Turn, how many events each seat was sent
        with its turns, when the open turn was put, and the placing and scores, None while it is not
        over. Raises KeyError.
        """

    def __len__(self) -> int:
        """Return the number of matches that are held."""
