"""`FailingBots`: makes notices of bots that the ladder sees failing again and again."""

import asyncio
from datetime import UTC, datetime
from typing import Final

import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from arena.database.errors import StorageFailedError
from arena.database.transaction import transaction
from arena.records import VersionId
from arena.server.notices import notice_statements as statements
from arena.server.notices.notice import Notice, NoticeKind
from arena.server.notices.outbox import tell

RETRY_SECONDS: Final = 15.0

log = structlog.get_logger()


class FailingBots:
    """The failing versions whose notices are not made yet. `run` must be running."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._seen: dict[VersionId, str] = {}
        self._news = asyncio.Event()

    def fails(self, version: VersionId, why: str) -> None:
        """Queue the notice that a version keeps failing; returns at once."""
        self._seen[version] = why
        self._news.set()

    async def run(self) -> None:
        """Make the queued notices, until cancelled."""
        while True:
            await self._news.wait()
            self._news.clear()
            try:
                await self.tell_seen()
            except StorageFailedError as error:
                log.error("failing bots wait for storage", why=str(error))
                await asyncio.sleep(RETRY_SECONDS)
                self._news.set()

    async def tell_seen(self) -> None:
        """Make the queued notices. Raises DatabaseUnreachableError."""
        for version, why in list(self._seen.items()):
            async with transaction(self._engine) as connection:
                row = (await connection.execute(statements.bot_of(version))).one()
                await tell(connection, failing(row.bot_id, row.bot, row.version, why))
            del self._seen[version]


def failing(bot_id: int, bot: str, version: str, why: str) -> Notice:
    """Return the notice that a bot keeps failing; a bot gets at most one per UTC day."""
    return Notice(
        kind=NoticeKind.FAILING,
        bot_id=bot_id,
        about=f"{datetime.now(UTC):%Y-%m-%d}",
        text=f"{bot} {version} keeps failing: {why}",
        data={"bot": bot, "version": version, "reason": why},
    )
