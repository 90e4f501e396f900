"""The record of a match: facts in order, enough to play it again without any generator."""

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
    """Who sat in a seat."""

    bot: str
    version: str
    owner: str

    def __str__(self) -> str:
        return f"{self.bot} {self.version}"


class Step(NamedTuple):
    """One action, of a seat or of the dealer.

    `fault` says that the seat gave no valid answer and the game's default action was played;
    `stand_in` that the default action was played because the seat had forfeited before.
    """

    actor: Actor
    action: Any
    milliseconds: int = 0
    fault: FaultKind | None = None
    stand_in: bool = False


@dataclass(frozen=True, slots=True)
class Opening:
    """What opens the commitment after the end: the referee's secret and the seats' entropies."""

    secret: bytes
    entropies: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Signature:
    """What says that an arena has recorded a transcript: Ed25519 over its canonical form."""

    key: bytes
    """The arena's public key, 32 bytes."""
    value: bytes
    """64 bytes."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What was settled before the first draw: the game, who sits where, and the terms of play."""

    match_id: str
    game: str
    options: Options
    entrants: tuple[Entrant, ...]
    time_control: TimeControl
    fault_limit: int

    def make_game(self) -> AnyGame:
        """The rules of this match."""
        return GAMES[self.game](self.options)


@dataclass(frozen=True, slots=True)
class Transcript:
    """A finished match."""

    setup: Setup
    commitment: bytes
    steps: tuple[Step, ...]
    result: Result
    opening: Opening
    protocol_version: int = PROTOCOL_VERSION
    signature: Signature | None = None
    """None where nobody signed: at home, and in releases before signatures."""
