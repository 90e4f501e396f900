"""Statements that SQLAlchemy compiles once in a process, and not for each engine.

A referee opens one engine, a test process thousands: there a third of the cost of a referee's start
was compiling the same statements.
"""

from typing import Any, Final

from sqlalchemy import Engine
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg, PGDialectAsync_psycopg
from sqlalchemy.util import LRUCache

_COMPILED: Final[LRUCache[Any, Any]] = LRUCache(4_000)


def share_compiled_statements() -> None:
    """Let all engines that are made from now on share their compiled statements.

    The cache's keys hold the dialect, of which each engine has its own. Those of one class are
    equal here, as all engines of the tests are made with the same arguments of the dialect.
    """
    for dialect in (PGDialect_psycopg, PGDialectAsync_psycopg):
        dialect.__eq__ = _of_one_class  # type: ignore[method-assign]
        dialect.__hash__ = _hash_of_class  # type: ignore[method-assign]
        dialect.engine_created = _share  # type: ignore[method-assign]


def _of_one_class(self: object, other: object) -> bool:
    return type(self) is type(other)


def _hash_of_class(self: object) -> int:
    return hash(type(self))


def _share(engine: Engine) -> None:
    engine._compiled_cache = _COMPILED
