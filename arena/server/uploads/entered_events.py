"""The rules of entered events for a bot's builds: whether they take one, and how many a day.

A limit of builds counts all builds uploaded since midnight UTC, including refused ones, as each has
cost a check. The caller locks the owner, so that concurrent uploads cannot exceed a limit.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Row as SqlRow
from sqlalchemy.ext.asyncio import AsyncConnection

from arena.database.errors import WrongStateError
from arena.moments import in_utc, in_words
from arena.records import Owner
from arena.server.uploads.build_statements import entered_events


async def require_open(connection: AsyncConnection, owner: Owner, bot: str) -> None:
    """Raise WrongStateError if an event that the bot has entered takes no new build now."""
    rows = (await connection.execute(entered_events(owner.id, bot))).all()
    closed = [row for row in rows if row.freezes_at <= row.now and not row.practice]
    for row in sorted(closed, key=_results, reverse=True):
        raise WrongStateError(
            f"{row.bot} is entered in {row.name}, whose builds were fixed at "
            f"{in_utc(row.freezes_at)}: upload again when its results are out, at "
            f"{in_utc(row.results_at)}. Nothing was changed."
        )
    for row in rows:
        if row.now < row.freezes_at and _left(row) == 0:
            tomorrow = row.today.astimezone(UTC) + timedelta(days=1)
            again = (
                f"the next is possible at {in_utc(tomorrow)}"
                if tomorrow < row.freezes_at
                else f"no other is possible before the freeze at {in_utc(row.freezes_at)}"
            )
            raise WrongStateError(
                f"{row.name} allows {row.most_builds} builds of a bot in a day (UTC), and "
                f"{row.bot} has had {row.builds} today: {again}. Nothing was changed."
            )


async def open_events(connection: AsyncConnection, owner: Owner, bot: str | None) -> list[str]:
    """Return a sentence for each event that takes builds of a bot, or of any of the owner's bots.

    It says how long is left until the freeze, and how many builds are left today.
    """
    rows = (await connection.execute(entered_events(owner.id, bot))).all()
    return [_sentence(row) for row in rows if row.now < row.freezes_at]


def _sentence(row: "SqlRow[Any]") -> str:
    said = (
        f"{row.name}: a build of {row.bot} counts if its check accepts it within "
        f"{in_words(row.freezes_at - row.now)}, before {in_utc(row.freezes_at)}."
    )
    if row.most_builds is None:
        return said
    return f"{said} Builds left today (UTC): {_left(row)} of {row.most_builds}."


def _left(row: "SqlRow[Any]") -> int | None:
    """Return how many builds the bot may still get today; None without a limit."""
    return None if row.most_builds is None else max(0, row.most_builds - row.builds)


def _results(row: "SqlRow[Any]") -> datetime:
    moment: datetime = row.results_at
    return moment
