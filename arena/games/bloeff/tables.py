"""Readers of the deck and the deal from CSV files: the only file access of Blöff.

To correct a table, edit a copy of deck.csv or deal.csv and pass it as an option:
BloeffOptions(deck=load_deck(path)). The game itself receives values.
"""

import csv
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from arena.games.bloeff.deck import DealRow, DeckRow, deal_flaw, deck_flaw

RowT = TypeVar("RowT", bound=BaseModel)


class TableError(ValueError):
    """The error for an unusable table; the message names the file, the line and the reason."""


def load_deck(path: Path) -> tuple[DeckRow, ...]:
    """Return the deck of a file in the format of deck.csv.

    Raises:
        TableError: The table is invalid.
        OSError: The file cannot be read.
    """
    return _load(path, DeckRow, deck_flaw)


def load_deal(path: Path) -> tuple[DealRow, ...]:
    """Return the deal of a file in the format of deal.csv.

    Raises:
        TableError: The table is invalid.
        OSError: The file cannot be read.
    """
    return _load(path, DealRow, deal_flaw)


@cache
def house_deck() -> tuple[DeckRow, ...]:
    """Return the deck shipped with the game."""
    return _load(files(__package__).joinpath("deck.csv"), DeckRow, deck_flaw)


@cache
def house_deal() -> tuple[DealRow, ...]:
    """Return the deal shipped with the game."""
    return _load(files(__package__).joinpath("deal.csv"), DealRow, deal_flaw)


def _load(
    file: Path | Traversable,
    row_type: type[RowT],
    flaw: Callable[[Sequence[RowT]], tuple[int, str] | None],
) -> tuple[RowT, ...]:
    columns = [field.alias or name for name, field in row_type.model_fields.items()]
    # Spreadsheets write a byte order mark first.
    reader = csv.reader(file.read_text(encoding="utf-8-sig").splitlines())
    if next(reader, None) != columns:
        raise TableError(f"{file.name}, line 1: the columns are {','.join(columns)}")
    rows: list[RowT] = []
    lines: list[int] = []
    for cells in reader:
        where = f"{file.name}, line {reader.line_num}"
        if len(cells) != len(columns):
            raise TableError(f"{where}: {len(cells)} cells instead of {len(columns)}")
        # An empty cell counts as missing.
        present = {name: cell for name, cell in zip(columns, cells, strict=True) if cell}
        try:
            rows.append(row_type.model_validate(present))
        except ValidationError as error:
            first = error.errors()[0]
            column = ".".join(map(str, first["loc"]))
            raise TableError(f"{where}: {column}: {first['msg']}") from error
        lines.append(reader.line_num)
    if not rows:
        raise TableError(f"{file.name}, line 1: there is no row below the columns")
    found = flaw(rows)
    if found is not None:
        index, reason = found
        raise TableError(f"{file.name}, line {lines[index]}: {reason}")
    return tuple(rows)
