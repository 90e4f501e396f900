"""`Deliveries`: posts notices to webhooks, with retries, as long as it runs.

A webhook may get a notice twice, if a referee dies between the post and its record. Receivers
recognise the repetition by its id (Standard Webhooks).
"""

import asyncio
from collections.abc import AsyncGenerator, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from http.client import HTTPException
from typing import Final
from urllib.parse import urlsplit

import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from arena.database.errors import StorageFailedError
from arena.database.listening import set_on
from arena.database.transaction import fetched, transaction
from arena.printable import printable
from arena.server.notices import notice_statements as statements
from arena.server.notices.notice import NoticeKind
from arena.server.notices.posting import Delivery, Post, body_of, headers_of, post
from arena.waiting import wait_at_most

AT_ONCE: Final = 10
"""The number of deliveries that are tried at the same time."""
CLAIM: Final = timedelta(seconds=60)
"""How long a referee's claim on a delivery lasts."""
FIRST_PAUSE: Final = timedelta(seconds=10)
"""The pause before the second try; each further pause is four times as long."""
MOST_TRIES: Final = 9
"""A delivery is given up after this many tries, the last two and a half days after the first."""
LONGEST_WAIT_SECONDS: Final = 3_600.0
"""Upper bound of a wait, because the clock of the database may be changed."""
RETRY_SECONDS: Final = 15.0
_LONGEST_FAILURE: Final = 200
"""The most characters kept of why a delivery failed."""

log = structlog.get_logger()


class Deliveries:
    """The deliveries in the database. `run` must be running."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        # A pool of its own: slow servers of strangers must not block other work in threads.
        self._threads = ThreadPoolExecutor(AT_ONCE, "notices")

    async def run(self, changes: AsyncGenerator[Collection[str]]) -> None:
        """Deliver what is due, until cancelled.

        `changes` yields at once, and when there are new notices.
        """
        news = asyncio.Event()
        seconds: float | None = RETRY_SECONDS  # delivers even if LISTEN fails
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(set_on(changes, news))
            while True:
                await wait_at_most(news, LONGEST_WAIT_SECONDS if seconds is None else seconds)
                news.clear()
                try:
                    seconds = await self.deliver()
                except StorageFailedError as error:
                    log.error("notices wait for storage", why=str(error))
                    seconds = RETRY_SECONDS
                except Exception:
                    log.exception("notices not delivered", retry_s=RETRY_SECONDS)
                    seconds = RETRY_SECONDS

    async def deliver(self, post: Post = post) -> float | None:
        """Try the deliveries that are due; return the seconds to the next one, None without one."""
        while due := await self._claimed():
            tried = await asyncio.gather(
                *(self._try(one, post) for one in due), return_exceptions=True
            )
            for error in tried:
                if error is not None:
                    raise error
        async with transaction(self._engine) as connection:
            seconds = await connection.scalar(statements.seconds_to_next_delivery())
        return None if seconds is None else max(0.0, float(seconds))

    async def _claimed(self) -> Sequence[Delivery]:
        """Claim some deliveries that are due, and return them."""
        found = await fetched(self._engine, statements.claim_deliveries(AT_ONCE, CLAIM))
        return [Delivery(**{**row._mapping, "kind": NoticeKind(row.kind)}) for row in found]

    async def _try(self, one: Delivery, post: Post) -> None:
        """Post one notice and record the outcome. Raises only errors of storage."""
        failure = ""
        try:
            body = body_of(one)
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._threads, post, one, body, headers_of(one, body))
        except (OSError, ValueError, HTTPException) as error:
            # A server's answer may hold any character; Postgres accepts no NUL.
            failure = printable(str(error))[:_LONGEST_FAILURE] or type(error).__name__
        except Exception as error:  # a bug: it must not hold up the other notices
            log.exception("notice not posted")
            failure = type(error).__name__
        pause = None
        if failure and one.tries + 1 < MOST_TRIES:
            pause = FIRST_PAUSE * 4**one.tries
        async with transaction(self._engine) as connection:
            tried = statements.tried(one.notice_id, one.webhook_id, failure, pause)
            await connection.execute(tried)
        if failure:
            host = urlsplit(one.url).hostname
            log.warning("notice not delivered", host=host, why=failure, again=pause is not None)
