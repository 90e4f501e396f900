"""The public events of Blöff; none of them holds a secret."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from arena.games.bloeff.values import Direction, NotedCard


class DrawCause(StrEnum):
    """The reason why a seat draws cards."""

    MISSED_CALL = "missed_call"
    BUST = "bust"
    DOUBT = "doubt"
    DRAW2 = "draw2"


class Ending(StrEnum):
    """The reason why the match is over (BO-23)."""

    LAST_LIMIT = "last_limit"
    EMPTY_HAND = "empty_hand"
    TURN_CAP = "turn_cap"


@dataclass(frozen=True, slots=True)
class Dealt:
    """All hands were dealt."""

    hand_sizes: tuple[int, ...]
    draw_pile: int


@dataclass(frozen=True, slots=True)
class BloeffRoundStarted:
    """A round begins at total 0 with the turn of `starter`."""

    round: int
    limit: int
    starter: int


@dataclass(frozen=True, slots=True)
class NumberPlayed:
    """A number card was laid face down; a total above the limit is a bust.

    `called`, here and below, means a call that was due; a needless call is ignored (BO-16).
    """

    seat: int
    announce: int
    called: bool


@dataclass(frozen=True, slots=True)
class RedPlayed:
    """A red card was laid in front of seat `target`."""

    seat: int
    card: NotedCard
    target: int
    called: bool


@dataclass(frozen=True, slots=True)
class ActionPlayed:
    """An action card took effect; play goes on in `direction`."""

    seat: int
    card: NotedCard
    direction: Direction
    called: bool


@dataclass(frozen=True, slots=True)
class Accepted:
    """No seat doubted; `total` is the new total."""

    seat: int
    total: int


@dataclass(frozen=True, slots=True)
class Doubted:
    """A doubt showed the card; the announcement was right if `announced == honest` (BO-21)."""

    seat: int
    """The seat that played the card."""
    doubter: int
    card: NotedCard
    announced: int
    honest: int
    """The honest total (BO-7); below 0 only under `below_zero = bluff`."""
    right: bool
    doubts: tuple[int, ...]
    """All seats that doubted under `publish_ballots = all`, else ()."""


@dataclass(frozen=True, slots=True)
class CardsDrawn:
    """A seat drew cards; fewer than it owed when both piles were empty (BO-8).

    A drawing that a reshuffle interrupts gives two of these events.
    """

    seat: int
    count: int
    cause: DrawCause


@dataclass(frozen=True, slots=True)
class Reshuffled:
    """The centre pile became the draw pile."""

    draw_pile: int


@dataclass(frozen=True, slots=True)
class RedCarriedOut:
    """A seat carried out a red card in front of it; a skip ended its turn (BO-9)."""

    seat: int
    card: NotedCard


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The match ended and the points were counted (BO-24)."""

    ending: Ending
    points: tuple[int, ...]


BloeffEvent: TypeAlias = (
    Dealt
    | BloeffRoundStarted
    | NumberPlayed
    | RedPlayed
    | ActionPlayed
    | Accepted
    | Doubted
    | CardsDrawn
    | Reshuffled
    | RedCarriedOut
    | MatchEnded
)
