"""Matches that compiled rules play, for as long as all answers are legal and in time.

On anything else (a fault, a note, a spectator, a lost connection) the rules in Python take the
match over: they replay it from its answers, as a referee does with a match that another one left,
and then play it to its end. So compiled rules need not handle any of that, and are optional for a
game.
"""

from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import structlog

from arena import __version__
from arena.games import KITS
from arena.match.flow import Reply, TimedAction
from arena.match.transcript import Setup, Step
from arena.named_tuples import maker
from arena.server.play.alarm import nobody
from arena.server.play.open_turns import KeepReply
from arena.server.play.outbox import Outbox
from arena.server.play.ports import Player

log = structlog.get_logger()

RestT = TypeVar("RestT")

_timed_action = maker(TimedAction)


class Left(NamedTuple):
    """The part of a match that compiled rules have played."""

    steps: tuple[Step, ...]
    events: list[bytes]
    """All public events, encoded as in WrittenEvents."""
    seen: list[int]
    """The number of events that each seat was sent."""
    asked_at: float
    """When the open turn was put."""
    placing: tuple[int, ...] | None
    """The ranks by seat; None while the match runs."""
    scores: tuple[int, ...] | None

    @property
    def replies(self) -> list[tuple[int, Reply]]:
        """The seats' replies, in order."""
        return [
            (step.actor, _timed_action((step.action, step.milliseconds)))
            for step in self.steps
            if type(step.actor) is int
        ]


class CompiledMatches(Protocol):
    """All matches of one game that compiled rules play for one referee."""

    def begin(
        self,
        owner: object,
        match_id: str,
        options: tuple[Any, ...],
        lines: list[int],
        key: bytes,
        turn_ms: int,
        bank_ms: int,
        now: float,
    ) -> tuple[int, bytes]:
        """Begin a match, and return the seat on turn and its turn, encoded in a PlayResponse.

        `lines` are the numbers of the streams that may answer, by seat; `key` is the match key.
        """
        ...

    def split(self, line: int, message: bytes, now: float) -> tuple[Any | None, bytes]:
        """Return the answers of a PlayRequest that can be played, and the rest of the message."""
        ...

    def play(
        self, taken: Any, now: float
    ) -> Sequence[tuple["CompiledMatch | None", int, Any, int, int, bytes]]:
        """Play answers of `split`.

        Returns for each answer the owner, the seat, its action and milliseconds, the seat on turn
        now, and its turn. The seat on turn is -1 when the match is over; the owner is None if the
        answer's turn was not open any more.
        """
        ...

    def asked_at(self, match_id: str) -> float:
        """Return when the open turn of a match was put."""
        ...

    def leave(self, match_id: str) -> tuple[Any, ...]:
        """Forget a match, and return the members of `Left`."""
        ...

    def __len__(self) -> int:
        """Return how many matches there are."""
        ...


class CompiledGame(NamedTuple):
    """The compiled rules of one game, and the conversion of its options for them."""

    matches: CompiledMatches
    options: Callable[[Any], tuple[Any, ...]]


class CompiledRules:
    """The compiled rules of one referee, by game; without any, Python plays every match."""

    def __init__(self, now: Callable[[], float], games: Mapping[str, CompiledGame]) -> None:
        """`now` is the clock of the matches' timer."""
        self._now = now
        self._games = games
        self._all: Final = tuple(game.matches for game in games.values())

    def begin(
        self,
        setup: Setup,
        key: bytes,
        players: Sequence[Player],
        keep: KeepReply,
        over: Callable[[], None],
    ) -> "CompiledMatch | None":
        """Begin a match and return it, or return None if Python must play it.

        `key` is the match key; `keep` is called with every reply, `over` when the match is over.
        """
        game = self._games.get(setup.game)
        if game is None:
            return None
        streams = [stream for player in players if (stream := player.stream()) is not None]
        if len(streams) < len(players):
            return None
        outboxes = [outbox for _, outbox in streams]
        match = CompiledMatch(game.matches, setup.match_id, outboxes, keep, over)
        control = setup.time_control
        seat, turn = game.matches.begin(
            match,
            setup.match_id,
            game.options(setup.options),
            [line for line, _ in streams],
            key,
            control.turn_ms,
            control.bank_ms,
            self._now(),
        )
        outboxes[seat].add(turn)
        return match

    def hear(
        self, line: int, message: bytes, read: Callable[[bytes], RestT]
    ) -> tuple[int, int, RestT | None]:
        """Play the answers of a bot's message that can be played here.

        Returns the number of answers to open turns, the number of late answers, and what `read`
        returns for the rest of the message: None if nothing is left of it. `read` is called before
        anything is played.
        """
        now = self._now()
        answers = []
        for matches in self._all:
            taken, message = matches.split(line, message, now)
            if taken is not None:
                answers.append((matches, taken))
        rest = read(message) if message or not answers else None
        played = late = 0
        for matches, taken in answers:
            for match, seat, action, milliseconds, next_seat, turn in matches.play(taken, now):
                if match is None:
                    late += 1
                    continue
                played += 1
                match.keep(seat, _timed_action((action, milliseconds)))
                if next_seat < 0:
                    match.over()
                elif match.outboxes:
                    match.outboxes[next_seat].add(turn)
        return played, late, rest


class CompiledMatch:
    """A match that compiled rules play."""

    __slots__ = ("_match_id", "_matches", "keep", "outboxes", "over")

    def __init__(
        self,
        matches: CompiledMatches,
        match_id: str,
        outboxes: Sequence[Outbox],
        keep: KeepReply,
        over: Callable[[], None],
    ) -> None:
        self._matches = matches
        self._match_id = match_id
        self.outboxes = outboxes
        """The outbox of each seat; empty once the match is stopped."""
        self.keep = keep
        """Called with every reply."""
        self.over = over
        """Called when the match is over."""

    @property
    def asked_at(self) -> float:
        """When its open turn was put."""
        return self._matches.asked_at(self._match_id)

    def leave(self) -> Left:
        """Take the match away from the compiled rules, and return what they played of it."""
        return Left(*self._matches.leave(self._match_id))

    def stop(self) -> None:
        """Take the match away from the compiled rules, and send nothing more of it."""
        self._matches.leave(self._match_id)
        self.keep, self.over, self.outboxes = nobody, nobody, ()


IN_PYTHON: Final = CompiledRules(monotonic, {})
"""No compiled rules: Python plays every match."""


def installed_games() -> dict[str, CompiledGame]:
    """Return the games whose compiled rules are installed, in the version of this arena."""
    games = {}
    for name, kit in KITS.items():
        part = kit.part("compiled")
        version = None if part is None else part.compiled_version()
        if part is None or version is None:
            continue
        if version == __version__:
            games[name] = CompiledGame(part.new_matches(), part.compiled_options)
        else:
            log.warning(
                "compiled rules ignored because of their version; Python plays this game",
                game=name,
                compiled=version,
                arena=__version__,
            )
    log.info("compiled rules", games=", ".join(games) or "none")
    return games
