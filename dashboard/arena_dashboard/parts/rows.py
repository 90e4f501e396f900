"""Rows of tables and their cells, as HTML."""

from collections.abc import Sequence

from arena_dashboard.parts.markup import Html, tag


def heads(*columns: str | Sequence[str]) -> Html:
    """Return the head row; a column is a text, or a text, a class ("" for none) and a hint."""
    full = ((one, "", "") if isinstance(one, str) else (*one, "", "") for one in columns)
    cells = (
        tag("th", text, title=hint or None, scope="col", class_=look or None)
        for text, look, hint, *_ in full
    )
    return tag("tr", *cells)


class Cell(Html):
    """A cell of a table's row."""

    __slots__ = ()


def row_of(*cells: str, class_: str | None = None) -> Html:
    """Return the row of a table; any string that is no `Cell` is put into one."""
    made = (one if isinstance(one, Cell) else cell(one) for one in cells)
    return tag("tr", *made, class_=class_)


def cell(*children: str, **attributes: str | int | None) -> Cell:
    """Return a cell; `children` and `attributes` are those of `tag`."""
    return Cell(tag("td", *children, **attributes))


def number(text: str, small: str = "") -> Cell:
    """Return a cell with a number and, if given, the text `small` below it."""
    return cell(text, tag("small", small) if small else "", class_="ba-number")


def row_head(*children: str, **attributes: str | int | None) -> Cell:
    """Return the cell that names its row."""
    return Cell(tag("th", *children, scope="row", **attributes))
