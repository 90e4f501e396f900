"""`Row`, the type of statements that return rows, and a count of their rows."""

from typing import Any, TypeAlias

from sqlalchemy import Select, func, select

Row: TypeAlias = Select[Any]
"""A statement that returns rows; each function's docstring lists their columns."""


def row_count(found: Row) -> Row:
    """Return a statement that counts the rows of `found`, without its limit and offset.

    Column: rows.
    """
    whole = found.order_by(None).limit(None).offset(None)
    return select(func.count().label("rows")).select_from(whole.subquery())
