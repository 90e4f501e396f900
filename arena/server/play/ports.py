"""Protocols of what hosting needs from outside: players, a timer, storage."""

from collections.abc import Callable, Collection, Sequence
from enum import Enum
from typing import Any, Protocol, TypeAlias

from arena.codec.turns import WrittenEvents
from arena.match.flow import OpenTurn, PublicMoment, Refused
from arena.match.notes import Note
from arena.match.result import Result
from arena.match.transcript import Setup
from arena.records import Block, BlockEnd, FinishedMatch, Registered, TournamentBlock
from arena.server.play.kept_blocks import Unkept
from arena.server.play.outbox import Outbox


class Host(Protocol):
    """A match, as a seat's bot sees it."""

    @property
    def setup(self) -> Setup: ...

    @property
    def begun(self) -> bool:
        """Whether all have joined."""
        ...

    @property
    def written_events(self) -> WrittenEvents:
        """The match's public events, for all seats."""
        ...

    def time_left_ms(self, seat: int) -> tuple[int, int]:
        """Return the milliseconds left to a seat with an open turn: for it, and in its bank."""
        ...

    def take_over(self) -> None:
        """Continue in Python a match that compiled rules have played so far."""
        ...

    def join(self, seat: int, entropy: bytes) -> None:
        """Accept the offer. Repeating it changes nothing."""
        ...

    def decline(self, seat: int) -> bool:
        """Reject the offer. False, and no effect, if the match has begun already."""
        ...

    def note(self, note: Note) -> None:
        """Take what the bot notes about its open turn, before its answer."""
        ...

    def answer(self, seat: int, turn_number: int, action: Any) -> bool:
        """Take an action. False, and no effect, if no such turn is open."""
        ...

    def malformed(self, seat: int, turn_number: int, reason: str) -> bool:
        """Take an answer that is not an action of the game. False as for `answer`."""
        ...

    def left(self, seat: int) -> None:
        """Report that the connection was lost."""
        ...

    def returned(self, seat: int) -> None:
        """Report that the connection is restored."""
        ...


class Player(Protocol):
    """One seat's bot, as its match sees it. No method blocks or raises."""

    def offer(self, host: Host, seat: int, commitment: bytes, join_ms: int) -> None:
        """Offer the match; a `join` or `decline` to the host follows, or neither."""
        ...

    def begin(self) -> None:
        """Tell the bot that all have joined, and who they are."""
        ...

    def stream(self) -> tuple[int, Outbox] | None:
        """Return the number of the stream over which the bot may answer, and its outbox.

        None if the bot is not connected, or has no stream.
        """
        ...

    def was_sent(self, seen: int, open_turn: OpenTurn | None = None) -> None:
        """Note that compiled rules have sent the first `seen` events, and this turn."""
        ...

    def resume(
        self, host: Host, seat: int, commitment: bytes, join_ms: int, entropy: bytes
    ) -> bool:
        """Take the seat of a match that another referee began.

        False if the bot is not connected yet; the host gets a `returned` if it comes back.
        """
        ...

    def ask(self, turn: OpenTurn, turn_ms: int, bank_ms: int) -> None:
        """Send a turn to the bot, with the milliseconds left for it and in its bank."""
        ...

    def refuse(self, refused: Refused, faults: int) -> None:
        """Tell the bot about a fault of its own; `faults` counts its faults in this match."""
        ...

    def end(self, written: bytes, events: Sequence[Any]) -> None:
        """Tell the bot that the match is over and recorded.

        `written` is the transcript as in FinishedMatch; `events` are all events of the match.
        """
        ...

    def withdraw(self, reason: str) -> None:
        """Tell the bot that the match does not take place, or is ended early as void."""
        ...


class Follower(Protocol):
    """Receives the public side of one match. No method blocks or raises."""

    def see(self, moment: PublicMoment) -> None:
        """Receive a moment of the match."""
        ...

    def over(self, result: Result | None) -> None:
        """Note that the match is recorded; or, without a result, that it is void."""
        ...


class ShowableMatch(Protocol):
    """A running match, as the code that shows matches sees it."""

    @property
    def setup(self) -> Setup: ...

    @property
    def running(self) -> bool:
        """Whether it is being played; only then it can be shown."""
        ...

    def show(self, follower: Follower) -> PublicMoment:
        """Show the match to `follower` from now on.

        Returns what is public now, with all events so far.
        """
        ...

    def hide(self) -> None:
        """Stop showing the match."""
        ...


class Audience(Protocol):
    """Shows matches to spectators. Nothing here blocks or raises."""

    def begins(self, match: ShowableMatch, tournament: str) -> None:
        """Note that a match can be shown from now on.

        `tournament` is the name of its tournament, or "".
        """
        ...


class ChallengePolicy(Enum):
    """The challenges (see `challenges`) that a connected bot plays."""

    OWN = "own"
    """Only those that it asks for."""
    ACCEPT = "accept"
    """Also those of others."""
    OWN_ONLY = "own only"
    """Only those that it asks for, and no rated matches."""


class Participant(Protocol):
    """A connected bot that can take seats."""

    @property
    def registered(self) -> Registered: ...

    @property
    def instance(self) -> str:
        """Distinguishes connected copies of the same version; often empty."""
        ...

    @property
    def games(self) -> frozenset[str]: ...

    @property
    def max_matches(self) -> int: ...

    @property
    def challenges(self) -> ChallengePolicy: ...

    def player(self) -> Player:
        """Return a player for one seat of one match."""
        ...

    def drained(self) -> None:
        """Note that the bot asked to leave, and no block holds a place of it any more."""
        ...

    def when_heard(self, call: Callable[[], None]) -> None:
        """Call `call` once, at the bot's next message. Replaces an earlier callback."""
        ...


class Matchmaker(Protocol):
    """Seats connected bots in matches. No method blocks or raises."""

    def arrive(self, participant: Participant) -> None:
        """Note that a bot is connected, perhaps again, and ready for offers."""
        ...

    def depart(self, participant: Participant) -> None:
        """Note that a bot is not connected any more, or is about to be."""
        ...

    def drain(self, participant: Participant) -> None:
        """Let a bot leave when its running blocks are over."""
        ...

    def places_changed(self, participant: Participant) -> None:
        """Note that a bot plays more or fewer matches at once than before."""
        ...

    def knows(self, participant: Participant) -> bool:
        """Whether a bot is connected or holds places in blocks."""
        ...


class Cancellable(Protocol):
    """A scheduled call."""

    def cancel(self) -> None:
        """Cancel the call."""
        ...


class Timer(Protocol):
    """A monotonic clock with scheduled calls; tests set it by hand."""

    def now(self) -> float:
        """Return the current time in seconds."""
        ...

    def call_at(self, when: float, callback: Callable[[], None]) -> Cancellable:
        """Call once when `now()` has reached `when`."""
        ...


class Recorder(Protocol):
    """Stores results and running matches.

    Raises StorageFailedError when storage fails for now, and LeaseLostError.
    """

    async def record(self, matches: Sequence[FinishedMatch], kept: Collection[str] = ()) -> None:
        """Record all or none; a match that is already recorded is left as it is.

        `kept` are the ids of the matches that are kept as running, which are removed there.
        """
        ...

    async def keep(self, unkept: Unkept) -> None:
        """Keep running blocks and matches, so that a referee that starts can continue them."""
        ...

    async def open_blocks(self, blocks: Sequence[TournamentBlock]) -> None:
        """Record that these blocks have begun; one that is already recorded stays as it is."""
        ...

    async def close_block(self, block_id: str) -> None:
        """End a block that was cut short by a bot; its matches count."""
        ...

    async def void_block(self, block_id: str) -> None:
        """End a block that failed on our side; none of its matches counts."""
        ...

    async def refuse_block(self, block: Block) -> None:
        """Void a block because a match of it was rejected, even if none of it is recorded yet."""
        ...


Happening: TypeAlias = TournamentBlock | FinishedMatch | BlockEnd
"""An event that a recorder takes."""


class Spool(Protocol):
    """Keeps events that could not be recorded yet, even through a crash."""

    async def append(self, happenings: Sequence[Happening]) -> None:
        """Keep all, in order, or none. Raises SpoolFailedError."""
        ...

    async def clear(self) -> None:
        """Remove all events, which are recorded by now. Raises SpoolFailedError."""
        ...


class Meter(Protocol):
    """Counts what happens. Nothing here waits or fails."""

    def finished(self, match: FinishedMatch) -> None:
        """Count a match that was played to its end."""
        ...

    def recorded(self, seconds: float) -> None:
        """Count a recorded result; `seconds` is how long it waited to be recorded."""
        ...
