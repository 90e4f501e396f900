"""What everybody at the table is told, step by step. Nothing here is a secret of anybody."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from arena.games.bloeff.values import Direction, NotedCard


class DrawCause(StrEnum):
    """Why a seat draws cards."""

    MISSED_CALL = "missed_call"
    BUST = "bust"
    DOUBT = "doubt"
    DRAW2 = "draw2"


class Ending(StrEnum):
    """Why the match is over (BO-23)."""

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

    `called` is a call that was due, here and below: a needless one stays unheard (BO-16).
    """

    seat: int
    announce: int
    called: bool


@dataclass(frozen=True, slots=True)
class RedPlayed:
    """A red card was laid in front of `target`."""

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
    """Nobody doubted; `total` is the total now."""

    seat: int
    total: int


@dataclass(frozen=True, slots=True)
class Doubted:
    """A doubt showed the card: `announced` was right if it is `honest` (BO-21)."""

    seat: int
    """Who played the card."""
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
    """A seat drew cards; fewer than it had to when both piles ran dry (BO-8).

    A drawing that a reshuffle interrupts is two of these.
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
    """The points are counted (BO-24)."""

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
