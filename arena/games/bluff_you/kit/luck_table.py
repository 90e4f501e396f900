"""The luck table of Bluff You!: the values of rolls to the bluffer."""

from functools import cache
from typing import Final, TypeAlias

from arena.lab.luck.tables import TableName, document, shipped

NAME: Final = TableName(
    "bluff_you_1.json", "6381fcd67546a80cbf69e9a53054188a0df6be078e7d0bde27f8ac2edcb9e16e"
)
"""The file name of the shipped table and its SHA-256."""

RollTable: TypeAlias = list[list[int]]
"""Values in 1 / SCALE points, by place of the chip and kind of the sum."""


@cache
def luck_table() -> dict[int, RollTable]:
    """Return the shipped table by number of seats.

    Raises LuckTableError.
    """
    return read_table(shipped(__package__, NAME), NAME)


def read_table(content: bytes, name: TableName) -> dict[int, RollTable]:
    """Return the table in a file's bytes.

    Raises LuckTableError unless their SHA-256 is the named one.
    """
    return {int(seats): rows for seats, rows in document(content, name)["values"].items()}
