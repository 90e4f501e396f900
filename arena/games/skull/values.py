"""The values of Skull: discs, actions, draws, views and events; the rules are in game.py."""

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias


class Disc(Enum):
    """The two kinds of discs (SK-1)."""

    FLOWER = "flower"
    SKULL = "skull"


class SkullPhase(Enum):
    """The decision that a match waits for."""

    FIRST = "first"
    """The dealer draws the seat that opens the first round; option `first` (SK-2)."""
    PLACE = "place"
    """Every seat in play lays its first disc of the round, sealed (SK-4)."""
    TURN = "turn"
    """A seat adds a disc or makes the first bid (SK-5)."""
    RAISE = "raise"
    """A bid stands: a seat raises it or passes (SK-7)."""
    CHALLENGE = "challenge"
    """The challenger names the mat whose top disc is turned over next (SK-10)."""
    LOSE = "lose"
    """The challenger turned over its own skull and chooses the disc that it loses (SK-12)."""
    LOSS = "loss"
    """The dealer draws the disc that the challenger loses to another's skull (SK-12)."""
    OVER = "over"
    """The match has a winner (SK-15)."""


@dataclass(frozen=True, slots=True)
class Discs:
    """The number of discs of each kind."""

    flowers: int
    skulls: int

    @property
    def count(self) -> int:
        """The total number of discs."""
        return self.flowers + self.skulls

    def kinds(self) -> tuple[Disc, ...]:
        """Return the kinds with at least one disc, the flower first."""
        kinds = ((Disc.FLOWER, self.flowers), (Disc.SKULL, self.skulls))
        return tuple([kind for kind, number in kinds if number])

    def without(self, *discs: Disc) -> "Discs":
        """Return these discs without the given ones."""
        skulls = discs.count(Disc.SKULL)
        return Discs(self.flowers - len(discs) + skulls, self.skulls - skulls)


NO_DISCS = Discs(0, 0)


@dataclass(frozen=True, slots=True)
class FirstSeat:
    """The seat that opens the first round (SK-2)."""

    seat: int

    def __str__(self) -> str:
        return f"seat {self.seat} opens"


@dataclass(frozen=True, slots=True)
class DrawnLoss:
    """The disc that a challenger loses to another's skull, by its kind (SK-12)."""

    disc: Disc

    def __str__(self) -> str:
        return f"loses {_named(self.disc)}"


@dataclass(frozen=True, slots=True)
class Place:
    """A disc that goes from the hand face down onto the top of the own mat (SK-4, SK-5)."""

    disc: Disc

    def __str__(self) -> str:
        return f"place {_named(self.disc)}"


@dataclass(frozen=True, slots=True)
class Bid:
    """A claim to turn over `count` discs without a skull (SK-6, SK-7)."""

    count: int

    def __str__(self) -> str:
        return f"bid {self.count}"


@dataclass(frozen=True, slots=True)
class Pass:
    """The decision not to raise; the seat leaves the bidding of this round (SK-7)."""

    def __str__(self) -> str:
        return "pass"


@dataclass(frozen=True, slots=True)
class TurnOver:
    """The challenger's choice of another seat's mat, whose top disc is turned over (SK-10)."""

    seat: int

    def __str__(self) -> str:
        return f"turn over a disc of seat {self.seat}"


@dataclass(frozen=True, slots=True)
class Lose:
    """The disc that the challenger gives up after its own skull (SK-12)."""

    disc: Disc

    def __str__(self) -> str:
        return f"lose {_named(self.disc)}"


def _named(disc: Disc) -> str:
    return "the skull" if disc is Disc.SKULL else "a flower"


SkullChoice: TypeAlias = Place | Bid | Pass | TurnOver | Lose
"""An answer of a seat."""

SkullAction: TypeAlias = SkullChoice | FirstSeat | DrawnLoss
"""An answer of a seat or a draw of the dealer."""


@dataclass(frozen=True, slots=True)
class SkullView:
    """The view of one seat, or of a spectator (SK-3, SK-13)."""

    seat: int | None
    """The seat of the view; None for the spectator."""
    phase: SkullPhase
    round: int
    """The number of the round, from 1."""
    opener: int
    """The seat whose turn begins the round; 0 until it is drawn."""
    to_act: tuple[int, ...]
    """The seats that are asked."""
    hand: Discs
    """The seat's own discs that lie on no mat."""
    own_mat: tuple[Disc, ...]
    """The seat's own discs on its mat, lowest first."""
    discs: tuple[int, ...]
    """The number of discs that each seat owns, on its mat or not; 0 if it is out."""
    mats: tuple[int, ...]
    """The number of discs on each seat's mat, face down or turned over."""
    turned: tuple[tuple[Disc, ...], ...]
    """The discs of each mat that the challenger has turned over, from the top."""
    bid: int
    """The standing bid; 0 before the first."""
    bidder: int | None
    """The seat whose bid stands: the challenger in the phases CHALLENGE, LOSE and LOSS."""
    passed: tuple[bool, ...]
    """Whether each seat has passed in this round."""
    points: tuple[int, ...]
    """The points of each seat."""


@dataclass(frozen=True, slots=True)
class OpenerDrawn:
    """A seat was drawn to open the first round."""

    seat: int


@dataclass(frozen=True, slots=True)
class SkullRoundStarted:
    """Every seat in play has laid its first disc; `opener` has the first turn."""

    round: int
    opener: int


@dataclass(frozen=True, slots=True)
class DiscAdded:
    """A seat laid a disc face down on its mat in its turn."""

    seat: int
    mat: int
    """The number of discs on its mat now."""


@dataclass(frozen=True, slots=True)
class BidMade:
    """A seat made the first bid or raised it."""

    seat: int
    count: int


@dataclass(frozen=True, slots=True)
class SeatPassed:
    """A seat left the bidding of this round."""

    seat: int


@dataclass(frozen=True, slots=True)
class ChallengeBegun:
    """The bidding is over: `seat` turns over `count` discs, its own first."""

    seat: int
    count: int


@dataclass(frozen=True, slots=True)
class DiscTurned:
    """The top face-down disc of the mat of `owner` was turned over."""

    owner: int
    disc: Disc


@dataclass(frozen=True, slots=True)
class PointWon:
    """The challenger met its bid."""

    seat: int
    points: int
    """The points of the seat now."""


@dataclass(frozen=True, slots=True)
class DiscLost:
    """The challenger lost a disc; no other seat learns its kind."""

    seat: int
    left: int
    """The number of discs that it still owns; 0 if it is out."""


SkullEvent: TypeAlias = (
    OpenerDrawn
    | SkullRoundStarted
    | DiscAdded
    | BidMade
    | SeatPassed
    | ChallengeBegun
    | DiscTurned
    | PointWon
    | DiscLost
)
