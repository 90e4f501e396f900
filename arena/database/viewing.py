"""Reading on behalf of an owner: the database hides private events from all but their members.

Its row policies read the setting `arena.viewer`, an owner's id (migration 0035).
"""

from typing import Final

from sqlalchemy import func, select

from arena.database.statement import Row

_SETTING: Final = "arena.viewer"
_OPTION: Final = "viewer"


def seen_by(viewer: int | None, statement: Row) -> Row:
    """Return the statement marked so that a `Reader` runs it on behalf of `viewer`, if any."""
    return statement if viewer is None else statement.execution_options(**{_OPTION: viewer})


def viewer_of(statement: Row) -> int | None:
    """Return the owner on whose behalf a statement runs; None for the public."""
    found: int | None = statement.get_execution_options().get(_OPTION)
    return found


def viewer_setting(viewer: int) -> Row:
    """Return a statement after which the transaction sees what an owner may see."""
    return select(func.set_config(_SETTING, str(viewer), True))
