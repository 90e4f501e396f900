"""Output of commands to a terminal: external text is escaped, and no name is truncated."""

import json
import math
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, TextIO

import typer
from rich.console import Console
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

from arena.printable import printable

JSON_STREAM: ContextVar[TextIO | None] = ContextVar("JSON_STREAM", default=None)
"""Where JSON is printed; None for stdout. With --json all other output goes to stderr."""

UNLIMITED = 10_000
"""The width for output that is not a terminal, such as a pipe: wider than any table."""


def say(text: str, *, err: bool = False) -> None:
    """Print text that may contain external text; line breaks are kept."""
    typer.echo(printable(text, keep="\n"), err=err)


def say_json(value: Any) -> None:
    """Print a value as indented JSON (see `json_text`)."""
    _say_json(json_text(value, indent=2))


def say_json_line(value: Any) -> None:
    """Print a value as JSON on one line and flush it (see `json_text`)."""
    _say_json(json_text(value))


def _say_json(text: str) -> None:
    stream = JSON_STREAM.get() or sys.stdout
    stream.write(f"{text}\n")
    stream.flush()


def members(value: Any, *names: str) -> dict[str, Any]:
    """Return members of a value by their names, for JSON that calls them the same."""
    return {name: getattr(value, name) for name in names}


def json_text(
    value: Any, *, indent: int | None = None, sort_keys: bool = False, compact: bool = False
) -> str:
    """Return a value as strict JSON (RFC 8259).

    Letters of any script stay as they are, so that people can read them; characters that may
    control a terminal are escaped. An infinite or undefined number becomes null.
    """

    def written(found: Any) -> str:
        return json.dumps(
            found,
            indent=indent,
            sort_keys=sort_keys,
            separators=(",", ":") if compact else None,
            ensure_ascii=False,
            allow_nan=False,
        )

    try:
        text = written(value)
    except ValueError:
        text = written(_finite(value))
    if not text.isascii():
        text = "".join(one if one.isprintable() or one == "\n" else _in_json(one) for one in text)
    return text


def _in_json(character: str) -> str:
    return json.dumps(character)[1:-1]


def _finite(value: Any) -> Any:
    """Return a value with infinite and undefined numbers replaced by None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite(member) for name, member in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value


class Terminal(Console):
    """A console on which strings are plain text: no markup, no control characters."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False)
        if not self.is_terminal and "COLUMNS" not in os.environ:
            self.width = UNLIMITED

    def render_str(self, text: str, **style: Any) -> Text:
        """Return a string as plain text; rich calls this for all strings, also in table cells."""
        return super().render_str(printable(text, keep="\n"), **style)

    def print_table(self, table: Table, lesser: Sequence[str] = ()) -> None:
        """Print a table without truncating a word: see `fitted`."""
        table = fitted(self, table, lesser)
        with self._at_least(_measured(self, table).minimum):
            self.print(table)

    @contextmanager
    def _at_least(self, width: int) -> Iterator[None]:
        """Use at least this width: the terminal wraps longer lines, and rich does not cut them."""
        before = self.width
        self.width = max(before, width)
        try:
            yield
        finally:
            self.width = before


def say_table(
    headings: Iterable[str],
    rows: Iterable[Iterable[object]],
    *,
    title: str | None = None,
    lesser: Sequence[str] = (),
) -> None:
    """Print rows below headings: see `Terminal.print_table`."""
    table = Table(*headings, title=title)
    for row in rows:
        table.add_row(*map(str, row))
    Terminal().print_table(table, lesser)


def fitted(console: Console, table: Table, lesser: Sequence[str] = ()) -> Table:
    """Return the table with cells wrapped but not truncated.

    If it still does not fit, omit some of its `lesser` columns (names of headers), least important
    first.
    """
    for column in table.columns:
        column.min_width = _least_width(console, column)
    for header in lesser:
        if _measured(console, table).minimum <= console.width:
            break
        table = _without(table, header)
    return table


def excess(console: Console, table: Table) -> int:
    """Return how much wider than the console the unwrapped table is; 0 if it fits."""
    return max(0, _measured(console, table).maximum - console.width)


def _measured(console: Console, renderable: Any) -> Measurement:
    return Measurement.get(console, console.options.update(width=UNLIMITED), renderable)


def _least_width(console: Console, column: Column) -> int:
    """Return the width of a column's longest word, or of its longest cell if it does not wrap."""
    found = [_measured(console, cell) for cell in (column.header, *column.cells)]
    return max(cell.maximum if column.no_wrap else cell.minimum for cell in found)


def _without(table: Table, header: str) -> Table:
    kept = [column for column in table.columns if column.header != header]
    narrower = Table(title=table.title)
    narrower.columns = [replace(column, _index=at) for at, column in enumerate(kept)]
    narrower.rows = table.rows
    return narrower
