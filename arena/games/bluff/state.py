"""The complete state of a match of Bluff, including secrets.

It never leaves the referee, which sends views built field by field.
"""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from arena.games.bluff.values import Dice, PlacedBet


class BluffPhase(Enum):
    """The phase of a match: the decision that it waits for."""

    STARTING_ROLL = "starting roll"
    OPENER_DRAW = "opener draw"
    ROLL = "roll"
    BETTING = "betting"
    REROLL = "re-roll"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Starting:
    """The starting rolls that decide who opens (BL-4)."""

    attempt: int
    """The number of the next roll, from 1."""
    seats: tuple[int, ...]
    """The seats that roll or are drawn from: all seats at first, then those still tied."""


class BluffState(NamedTuple):
    """The state of a match; tuples have one entry per seat, except `bets`.

    It is a named tuple, because one is made per step: it costs a third of a frozen dataclass.
    """

    phase: BluffPhase
    round: int
    """The number of the round, from 1; 0 before the opener of the first round is known."""
    opener: int | None
    """The seat that opens this round, or the next to be rolled; None until it is decided."""
    turn: int | None
    """The seat that must bet or doubt, or whose dice are re-rolled; else None."""
    hidden: tuple[Dice, ...]
    face_up: tuple[Dice, ...]
    dice_counts: tuple[int, ...]
    out_in: tuple[int, ...]
    """The round in which each seat lost its last die; 0 while it is in play."""
    bets: tuple[PlacedBet, ...]
    """This round's bets, oldest first; the last one stands."""
    starting: Starting | None
    """The starting rolls while the opener of the first round is unknown; else None."""


def next_live(dice_counts: tuple[int, ...], seat: int) -> int:
    """Return the next seat clockwise that has dice (BL-9)."""
    seats = len(dice_counts)
    seat = (seat + 1) % seats
    while not dice_counts[seat]:
        seat = (seat + 1) % seats
    return seat


def with_cup(cups: tuple[Dice, ...], seat: int, dice: Dice) -> tuple[Dice, ...]:
    """Return the dice of all seats with those of one seat replaced."""
    return (*cups[:seat], dice, *cups[seat + 1 :])
