"""`Row`: a statement that returns rows, and how many those are."""

from typing import Any, TypeAlias

from sqlalchemy import Select, func, select

Row: TypeAlias = Select[Any]
"""A statement that returns rows; each function's docstring lists their columns."""


def row_count(found: Row) -> Row:
    """rows: how many a statement returns, but for its limit."""
    whole = found.order_by(None).limit(None).offset(None)
    return select(func.count().label("rows")).select_from(whole.subquery())
