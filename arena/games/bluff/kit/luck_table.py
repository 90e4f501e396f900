"""The luck table of Bluff: the values of hands in rounds between two seats."""

from functools import cache
from typing import Final, NamedTuple

from arena.games.bluff.kit.duels import Cell
from arena.lab.luck.tables import SCALE, LuckTableError, TableName, document, shipped

NAME: Final = TableName(
    "bluff_1.json", "a5f002379be418bc4abcad001921a9882cda9b6fe58332ea22f4bfd019c3c527"
)
"""The file name of the shipped table and its SHA-256."""


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
    """Return the shipped table.

    Raises LuckTableError.
    """
    return read_table(shipped(__package__, NAME), NAME)


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
