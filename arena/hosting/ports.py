"""What hosting needs from outside, as protocols. `referee` and `storage` supply it."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from arena.match.flow import OpenTurn, Refused
from arena.match.transcript import Setup
from arena.records import Block, FinishedMatch, Registered, TournamentBlock, Unkept


class Host(Protocol):
    """The match, as a seat's bot speaks to it."""

    @property
    def setup(self) -> Setup: ...

    def time_left_ms(self, seat: int) -> tuple[int, int]:
        """What is left to a seat that is asked now: for this turn, and in its bank."""
        ...

    def join(self, seat: int, entropy: bytes) -> None:
        """Accept the offer. Repeating it changes nothing."""
        ...

    def decline(self, seat: int) -> bool:
        """Do not accept the offer. False if the match runs already, which changes nothing."""
        ...

    def answer(self, seat: int, turn_number: int, action: Any) -> bool:
        """Act. False if no such turn is open, which changes nothing."""
        ...

    def malformed(self, seat: int, turn_number: int, reason: str) -> bool:
        """Answer with something that is no action of the game. False as above."""
        ...

    def left(self, seat: int) -> None:
        """The connection is lost."""
        ...

    def returned(self, seat: int) -> None:
        """The connection is back."""
        ...


class Player(Protocol):
    """One seat's bot, as the match it plays in sees it. Nothing here waits or fails."""

    def offer(self, host: Host, seat: int, commitment: bytes, join_ms: int) -> None:
        """Offer the match; a `join` or `decline` to the host follows, or neither."""
        ...

    def resume(
        self, host: Host, seat: int, commitment: bytes, join_ms: int, entropy: bytes
    ) -> None:
        """Take the seat of a match that an earlier referee began; the bot is not there yet."""
        ...

    def ask(self, turn: OpenTurn) -> None:
        """Put a turn to the bot."""
        ...

    def refuse(self, refused: Refused, faults: int) -> None:
        """Tell the bot about a fault of its own, the `faults`-th of the match."""
        ...

    def end(self, written: bytes, events: Sequence[Any]) -> None:
        """Tell the bot that the match is over and recorded.

        `written` is the transcript as FinishedMatch has it; `events` are all of the match.
        """
        ...

    def withdraw(self, reason: str) -> None:
        """Tell the bot that the match does not take place, or is broken off."""
        ...


class Participant(Protocol):
    """A connected bot that can take seats."""

    @property
    def registered(self) -> Registered: ...

    @property
    def instance(self) -> str:
        """Tells apart several connected copies of the same version; often empty."""
        ...

    @property
    def games(self) -> frozenset[str]: ...

    @property
    def max_matches(self) -> int: ...

    def player(self) -> Player:
        """A player for one seat of one match."""
        ...

    def drained(self) -> None:
        """The bot asked to leave, and no block holds a place of it any more."""
        ...


class Cancellable(Protocol):
    """A call that was arranged."""

    def cancel(self) -> None:
        """Do not call any more."""
        ...


class Timer(Protocol):
    """Monotonic time, turned by hand in tests."""

    def now(self) -> float:
        """Seconds."""
        ...

    def call_at(self, when: float, callback: Callable[[], None]) -> Cancellable:
        """Call once when `now()` has reached `when`."""
        ...


class StorageFailedError(Exception):
    """Storage could not do it now; trying again later may help."""


class LeaseLostError(Exception):
    """Another referee has taken over this one's matches: it must not write any more."""


class Recorder(Protocol):
    """Keeps results. Raises StorageFailedError when it cannot at the moment, and LeaseLostError."""

    async def record(self, matches: Sequence[FinishedMatch]) -> None:
        """Record all or none; a match whose id is already recorded is left as it is."""
        ...

    async def keep(self, unkept: Unkept) -> None:
        """Keep running blocks and matches, so that a referee that starts can go on with them."""
        ...

    async def open_blocks(self, blocks: Sequence[TournamentBlock]) -> None:
        """Record that these are begun; one that is recorded already is left as it is."""
        ...

    async def close_block(self, block_id: str) -> None:
        """End a block that was cut short by a bot; its matches count."""
        ...

    async def void_block(self, block_id: str) -> None:
        """End a block that we broke; none of its matches counts."""
        ...

    async def refuse_block(self, block: Block) -> None:
        """The same for a block of which a match was refused, be it the first."""
        ...
