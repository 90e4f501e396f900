"""What is recorded of matches, by the statements of the lists of matches."""

from arena.database.rows import MatchRow, match_row
from arena.server.app.store import Store
from arena.server.results import statements
from arena.server.results.match_search import MatchFilter, found_matches


async def matches(
    store: Store,
    *,
    bot: str | None = None,
    game: str | None = None,
    before: str | None = None,
    limit: int = 100_000,
) -> list[MatchRow]:
    """The newest matches; `before` is the id of the last match of the page before."""
    wanted = MatchFilter(bot=bot, game=game)
    rows = await store.rows(found_matches(wanted, before=before, limit=limit))
    return [match_row(row) for row in rows]


async def match(store: Store, match_id: str) -> MatchRow | None:
    """One match; None if there is none with that id."""
    rows = await store.rows(statements.match_by_id(match_id))
    return match_row(rows[0]) if rows else None
