"""The luck of Bluff's draws, in expected points (the share of the other seats that a seat beats).

Two kinds of draws have a value: the hidden rolls once only two seats have dice left, and the choice
of the opener at a table of two. All other draws have luck 0, a valid covariate that explains
nothing: re-rolls, and rolls among three or more seats (hands explained 1 % there when measured).

No step is replayed: a roll itself shows how many dice each seat has, and the first seat to act
after it is the opener.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from arena.games.bluff import BluffOptions, CupRoll, Dice, OpenerDraw, StartingRoll
from arena.games.bluff.kit.duels import Cell, cell_of
from arena.games.game import DEALER
from arena.lab.luck.draws import DrawLuck, between
from arena.lab.luck.tables import SCALE, LuckTableError, TableName, document, shipped
from arena.match.transcript import Step, Transcript

TABLE: Final = TableName(
    "bluff_1.json", "a5f002379be418bc4abcad001921a9882cda9b6fe58332ea22f4bfd019c3c527"
)
"""The file name of the shipped luck table and its SHA-256."""

_STARTING: Final = (StartingRoll, OpenerDraw)


class Duel(NamedTuple):
    """The luck of all rounds between two seats with given numbers of dice."""

    lucks: dict[Cell, int]
    """The value of each cell to the opener minus the mean, in units of 1 / `unit`.

    These are integers, so that the mean over all rolls is exactly zero.
    """
    weights: dict[Cell, int]
    """The number of ordered rolls in each cell."""
    unit: int


class LuckTable(NamedTuple):
    """The values of Bluff's hands and of the right to open."""

    opening: dict[int, float]
    """The value of opening at a table of two, in wins above one half, by dice per seat."""
    duels: dict[tuple[int, int], Duel]
    """The duels by the number of dice of the opener and of the other seat."""


@cache
def luck_table() -> LuckTable:
    """Return the shipped table. Raises LuckTableError."""
    return read_table(shipped(__package__, TABLE), TABLE)


def read_table(content: bytes, name: TableName) -> LuckTable:
    """Return the table in a file's bytes.

    Raises LuckTableError unless their SHA-256 is the named one.
    """
    values = document(content, name)
    opening = {int(dice): value / SCALE for dice, value in values["opening"].items()}
    duels = {}
    for dice, rows in values["duels"].items():
        first, second = map(int, dice.split(" "))
        duels[first, second] = _duel(rows, 6 ** (first + second))
    return LuckTable(opening, duels)


def _duel(rows: list[list[int]], rolls: int) -> Duel:
    """Return the duel of rows, each holding a cell's members, its value and its weight."""
    values = {Cell(*row[:-2]): row[-2] for row in rows}
    weights = {Cell(*row[:-2]): row[-1] for row in rows}
    if sum(weights.values()) != rolls:
        raise LuckTableError("the weights of a duel are not those of all its rolls")
    mean = sum(value * weights[cell] for cell, value in values.items())
    lucks = {cell: value * rolls - mean for cell, value in values.items()}
    return Duel(lucks, weights, rolls * SCALE)


def lucks(transcript: Transcript) -> Iterator[DrawLuck]:
    """Yield the luck of the draws that have a value, in order; the transcript must be legal."""
    table, steps = luck_table(), transcript.steps
    seats, options = len(transcript.setup.entrants), transcript.setup.options
    assert isinstance(options, BluffOptions)
    worth = table.opening.get(options.dice_per_player)
    for index, step in enumerate(steps):
        if step.actor is not DEALER:
            continue
        draw = step.action
        if type(draw) is CupRoll:
            live = [seat for seat, dice in enumerate(draw.dice) if dice]
            opener = _opener(steps, index)
            if len(live) != 2 or opener is None:
                continue
            other = live[0] + live[1] - opener
            luck = luck_of_roll(table, draw.dice[opener], draw.dice[other])
            if luck is not None:
                given = between(opener, other, luck / (seats - 1), seats)
                yield DrawLuck(index + 1, draw, given)
        elif seats == 2 and worth is not None and type(draw) in _STARTING:
            # Before the draw and after a tie, both seats are equally likely to open: luck 0.
            opener = _opener(steps, index)
            if opener is None or type(steps[index + 1].action) in _STARTING:
                yield DrawLuck(index + 1, draw, (0.0, 0.0))
            else:
                yield DrawLuck(index + 1, draw, between(opener, 1 - opener, worth, 2))


def luck_of_roll(table: LuckTable, dice: Dice, other_dice: Dice) -> float | None:
    """Return the opener's luck, in wins, in a round between two seats; its dice come first.

    Return None if the table has no values for these numbers of dice.
    """
    duel = table.duels.get((len(dice), len(other_dice)))
    return None if duel is None else duel.lucks[cell_of(dice, other_dice)] / duel.unit


def _opener(steps: Sequence[Step], index: int) -> int | None:
    """Return the seat that opens after the draw at `index`; None if the record ends there.

    No match ends there: a match is broken off only after a seat acted.
    """
    for step in steps[index + 1 : index + 3]:
        if step.actor is not DEALER:
            return step.actor
    return None
