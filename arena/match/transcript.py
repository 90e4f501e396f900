"""The record of a match: setup, steps and result, enough to replay it without random numbers."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from arena.games import GAMES
from arena.games.game import Actor, AnyGame, Options
from arena.match.clock import TimeControl
from arena.match.faults import FaultKind
from arena.match.result import Result

PROTOCOL_VERSION = 1


@dataclass(frozen=True, slots=True)
class Entrant:
    """The bot, version and owner in a seat."""

    bot: str
    version: str
    owner: str

    def __str__(self) -> str:
        return f"{self.bot} {self.version}"


class Step(NamedTuple):
    """One action of a seat or of the dealer.

    `fault`: the seat gave no valid answer and the game's default action was played. `stand_in`:
    the default action was played because the seat had forfeited before.
    """

    actor: Actor
    action: Any
    milliseconds: int = 0
    fault: FaultKind | None = None
    stand_in: bool = False


@dataclass(frozen=True, slots=True)
class Opening:
    """The opening of the commitment after the end: the referee's secret, the seats' entropies."""

    secret: bytes
    entropies: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Signature:
    """An arena's signature of a transcript: Ed25519 over its canonical form."""

    key: bytes
    """The arena's public key, 32 bytes."""
    value: bytes
    """The signature, 64 bytes."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The terms of a match, fixed before the first draw: game, options, seats, time, faults."""

    match_id: str
    game: str
    options: Options
    entrants: tuple[Entrant, ...]
    time_control: TimeControl
    fault_limit: int
    deal_id: str = ""
    """A UUID shared by the matches with the same deal; "" if only this match has the deal."""

    @property
    def keyed_by(self) -> str:
        """The id from which the match key is computed."""
        return self.deal_id or self.match_id

    def make_game(self) -> AnyGame:
        """Return the rules of this match."""
        return GAMES[self.game](self.options)


@dataclass(frozen=True, slots=True)
class Transcript:
    """The complete record of a finished match."""

    setup: Setup
    commitment: bytes
    steps: tuple[Step, ...]
    result: Result
    opening: Opening
    protocol_version: int = PROTOCOL_VERSION
    signature: Signature | None = None
    """None if unsigned: played without a server, or by a release without signatures."""


def thinking_seconds(transcript: Transcript) -> list[float]:
    """Return the seconds that each seat took for its decisions, by seat."""
    spent = [0] * len(transcript.setup.entrants)
    for step in transcript.steps:
        if isinstance(step.actor, int):
            spent[step.actor] += step.milliseconds
    return [milliseconds / 1000 for milliseconds in spent]
