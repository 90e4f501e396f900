"""The luck tables: read once, and only if their SHA-256 is the one named here.

LuckTableError    a table is damaged or not the named one
"""

import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple, TypeAlias

from arena.games.bloeff import Card
from arena.lab.luck.duels import Cell

SCALE: Final = 10_000
"""Values in the files are whole ten-thousandths of a win."""


class LuckTableError(Exception):
    """A table is damaged or was made by another version, so its values cannot be used."""


class TableName(NamedTuple):
    """The identity of a luck table; luck from different tables must not be compared."""

    file: str
    sha256: str


BLUFF: Final = TableName(
    "bluff_1.json", "a5f002379be418bc4abcad001921a9882cda9b6fe58332ea22f4bfd019c3c527"
)

BLUFF_YOU: Final = TableName(
    "bluff_you_1.json", "6381fcd67546a80cbf69e9a53054188a0df6be078e7d0bde27f8ac2edcb9e16e"
)
BLOEFF: Final = TableName(
    "bloeff_1.json", "1c3b8743cd59c5a9b1a66997dffc5966966761443e4cda0fdfe048ce5ae295e3"
)


class Duel(NamedTuple):
    """The luck of all rounds between two seats with given numbers of dice."""

    lucks: dict[Cell, int]
    """By cell, its value to the opener minus the mean, in units of 1 / `unit`: integers, so that
    the mean over all rolls is exactly zero."""
    weights: dict[Cell, int]
    """By cell, the number of ordered rolls that fall into it."""
    unit: int


class LuckTable(NamedTuple):
    """The values of Bluff's hands."""

    name: TableName
    opening: dict[int, float]
    """By dice per seat, the value of opening at a table of two: wins above one half."""
    duels: dict[tuple[int, int], Duel]
    """By the number of dice of the opener and of the other seat."""


class CardTable(NamedTuple):
    """The values of Blöff's cards."""

    name: TableName
    values: dict[int, dict[Card, int]]
    """By number of seats, in 1 / SCALE points."""


RollTable: TypeAlias = list[list[int]]
"""By place of the chip and kind of the sum, in 1 / SCALE points."""


class RollTables(NamedTuple):
    """The values of Bluff You!'s rolls to the bluffer."""

    name: TableName
    values: dict[int, RollTable]
    """By number of seats."""


@cache
def bluff_table() -> LuckTable:
    """The table of Bluff. Raises LuckTableError."""
    return read_table(_shipped(BLUFF), BLUFF)


@cache
def bloeff_table() -> CardTable:
    """The table of Blöff. Raises LuckTableError."""
    return read_card_table(_shipped(BLOEFF), BLOEFF)


@cache
def bluff_you_table() -> RollTables:
    """The table of Bluff You! Raises LuckTableError."""
    return read_roll_tables(_shipped(BLUFF_YOU), BLUFF_YOU)


def read_roll_tables(content: bytes, name: TableName) -> RollTables:
    """The table in a file's bytes. Raises LuckTableError unless their SHA-256 is the named one."""
    document = _document(content, name)
    return RollTables(name, {int(seats): rows for seats, rows in document["values"].items()})


def read_card_table(content: bytes, name: TableName) -> CardTable:
    """The table in a file's bytes. Raises LuckTableError unless their SHA-256 is the named one."""
    document = _document(content, name)
    return CardTable(
        name,
        {
            int(seats): {card: values[str(card)] for card in Card}
            for seats, values in document["values"].items()
        },
    )


def _shipped(name: TableName) -> bytes:
    return files("arena.lab.luck").joinpath(name.file).read_bytes()


def _document(content: bytes, name: TableName) -> dict[str, Any]:
    found = hashlib.sha256(content).hexdigest()
    if found != name.sha256:
        raise LuckTableError(f"{name.file} has the SHA-256 {found}, not {name.sha256}")
    document: dict[str, Any] = json.loads(content)
    return document


def read_table(content: bytes, name: TableName) -> LuckTable:
    """The table in a file's bytes. Raises LuckTableError unless their SHA-256 is the named one."""
    document = _document(content, name)
    opening = {int(dice): value / SCALE for dice, value in document["opening"].items()}
    duels = {}
    for dice, rows in document["duels"].items():
        first, second = map(int, dice.split(" "))
        duels[first, second] = _duel(rows, 6 ** (first + second))
    return LuckTable(name, opening, duels)


def _duel(rows: list[list[int]], rolls: int) -> Duel:
    """The duel of rows, each holding a cell's members, its value and its weight."""
    values = {Cell(*row[:-2]): row[-2] for row in rows}
    weights = {Cell(*row[:-2]): row[-1] for row in rows}
    if sum(weights.values()) != rolls:
        raise LuckTableError("the weights of a duel are not those of all its rolls")
    mean = sum(value * weights[cell] for cell, value in values.items())
    lucks = {cell: value * rolls - mean for cell, value in values.items()}
    return Duel(lucks, weights, rolls * SCALE)
