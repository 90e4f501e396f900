"""SQL statements about the luck of matches; this module only builds them.

It is separate from the measurement of luck, as lists of matches need neither transcripts nor an
engine.
"""

from collections.abc import Callable
from typing import Any

from sqlalchemy import ColumnElement, Select, Text, and_, cast, false, func, or_, select

from arena.database.tables.matches import match_luck, matches, transcripts
from arena.games import GAMES
from arena.lab.luck import table_of


def of_the_match() -> ColumnElement[bool]:
    """Return the condition that joins a match with its luck by this release's table of the game.

    Luck by other tables is not comparable.
    """
    return and_(
        match_luck.c.match_id == matches.c.id,
        # A trigger ensures this too; readers index the list by seat.
        func.cardinality(match_luck.c.luck) == matches.c.seat_count,
        _by_table(lambda sha256: match_luck.c.table_sha256 == sha256),
    )


def without_luck(after: str | None, most: int) -> Select[Any]:
    """Return a statement that selects the next matches without luck by the current table.

    Columns: match_id, format, sha256, data.
    """
    found = (
        select(cast(matches.c.id, Text).label("match_id"))
        .add_columns(transcripts.c.format, transcripts.c.sha256, transcripts.c.data)
        .select_from(matches.join(transcripts).outerjoin(match_luck))
        .where(is_missing())
        .order_by(matches.c.id)
        .limit(most)
    )
    return found if after is None else found.where(matches.c.id > after)


def is_missing() -> ColumnElement[bool]:
    """Return the condition that a match, joined with its luck, has none by the current table."""
    return _by_table(match_luck.c.table_sha256.is_distinct_from)


def _by_table(told: Callable[[bytes], ColumnElement[bool]]) -> ColumnElement[bool]:
    """Return a condition on the hash of each game's table, for the games that have one."""
    tables = {name: table_of(name) for name in GAMES}
    return or_(
        false(),
        *(
            and_(matches.c.game == name, told(bytes.fromhex(table.sha256)))
            for name, table in tables.items()
            if table is not None
        ),
    )
