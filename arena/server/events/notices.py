"""`Notices`: what happens in events, kept in an outbox and delivered to webhooks with retries.

A notice is made once, by the look that finds it due; its deliveries are rows beside it. A
webhook may get one twice, if a referee dies at the wrong moment: it knows it by its id (Standard
Webhooks). Discord and Slack get the form that they take.
"""

import asyncio
import base64
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import structlog
from sqlalchemy import Row as SqlRow
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from standardwebhooks import Webhook

from arena.database.errors import EventRefusedError
from arena.database.transaction import transaction
from arena.moments import in_utc, iso_utc
from arena.server.accounts.auditing import record
from arena.server.events import event_rows as rows
from arena.server.events import event_statements as statements
from arena.server.events import notice_statements
from arena.server.events.event import Event

AT_ONCE: Final = 10
"""The number of deliveries that are tried at the same time."""
ANSWER_SECONDS: Final = 10.0
CLAIM: Final = timedelta(seconds=60)
"""The time for which a delivery is one referee's."""
FIRST_PAUSE: Final = timedelta(seconds=10)
"""The pause before the second try; each further one is four times as long."""
MOST_TRIES: Final = 8
"""About two days; then a delivery is given up."""
_LONGEST_ADDRESS: Final = 1_000
_SECRET_BYTES: Final = 24

log = structlog.get_logger()

Post = Callable[[str, bytes, Mapping[str, str]], None]
"""Posts a body with headers to an address. Raises OSError or ValueError if it is not taken."""


@dataclass(frozen=True, slots=True)
class _Delivery:
    """A notice that is due at a webhook."""

    notice_id: int
    webhook_id: int
    tries: int
    url: str
    secret: str
    kind: str
    at: datetime
    event: Event


def sentence(event: Event, kind: str) -> str:
    """Return what a notice says, in one sentence."""
    title, dates = event.said.title, event.said.dates
    return {
        "opens": f"{title}: entries are open until {in_utc(dates.freezes)}.",
        "last-day": f"{title}: one day left; entries close at {in_utc(dates.freezes)}.",
        "frozen": f"{title}: the builds are fixed; the final begins at {in_utc(dates.final)}.",
        "final": f"{title}: the final has begun; results are out at {in_utc(dates.results)}.",
        "results": f"{title}: the results are out.",
        "cancelled": f"{title} is cancelled. {event.why_cancelled}".rstrip(),
    }[kind]


def _is_address(url: str) -> bool:
    """Return whether something can be posted to an address."""
    if len(url) > _LONGEST_ADDRESS or not url.isascii() or not url.isprintable() or " " in url:
        return False
    try:
        place = urlsplit(url)
        return place.scheme in ("http", "https") and bool(place.hostname) and place.port != 0
    except ValueError:  # of a port that is none
        return False


class Notices:
    """The outbox in the database."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def add_webhook(self, event: Event, url: str, actor: str) -> str:
        """Deliver an event's notices to an address from now on; return the secret that signs them.

        Raises EventRefusedError.
        """
        if not _is_address(url):
            raise EventRefusedError("A webhook has an address such as https://example.org/hook.")
        place = urlsplit(url)
        secret = f"whsec_{base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()}"
        async with self._transaction() as connection:
            statement = notice_statements.add_webhook(event.id, url, secret)
            if await connection.scalar(statement) is None:
                raise EventRefusedError(f"{event.name} has this webhook already.")
            # Without the path, which may be a secret.
            told = {"host": place.hostname}
            await record(connection, actor, "add webhook", event.name, told)
        return secret

    async def webhooks(self, event: Event) -> list[SqlRow[Any]]:
        """Return an event's webhooks: rows of `notice_statements.webhooks_of`."""
        async with self._transaction() as connection:
            return list((await connection.execute(notice_statements.webhooks_of(event.id))).all())

    async def remove_webhook(self, event: Event, url: str, actor: str) -> None:
        """Deliver nothing to an address any more. Raises EventRefusedError."""
        async with self._transaction() as connection:
            if await connection.scalar(notice_statements.remove_webhook(event.id, url)) is None:
                raise EventRefusedError(f"{event.name} has no such webhook.")
            told = {"host": urlsplit(url).hostname}
            await record(connection, actor, "remove webhook", event.name, told)

    async def keep(self) -> None:
        """Make the notices that are due, and their deliveries."""
        async with self._transaction() as connection:
            made = (await connection.scalars(notice_statements.add_due_notices())).all()
            if made:
                await connection.execute(notice_statements.add_deliveries(made))

    async def deliver(self, post: Post | None = None) -> float | None:
        """Try the deliveries that are due; return the seconds to the next one, None without one."""
        post = post or _post
        while due := await self._claimed():
            await asyncio.gather(*(self._try(one, post) for one in due))
        async with self._transaction() as connection:
            seconds = await connection.scalar(notice_statements.seconds_to_next_delivery())
        return None if seconds is None else max(0.0, float(seconds))

    async def _claimed(self) -> Sequence[_Delivery]:
        """Return some deliveries that are due, which are this referee's for a while."""
        async with self._transaction() as connection:
            claim = notice_statements.claim_deliveries(AT_ONCE, CLAIM)
            found = (await connection.execute(claim)).all()
            events = await _events(connection, {row.event_id for row in found})
        return [
            _Delivery(
                *(row.notice_id, row.webhook_id, row.tries, row.url, row.secret, row.kind, row.at),
                events[row.event_id],
            )
            for row in found
        ]

    async def _try(self, one: _Delivery, post: Post) -> None:
        body = _body(one)
        failure = ""
        try:
            await asyncio.to_thread(post, one.url, body, _headers(one, body))
        except (OSError, ValueError, HTTPException) as error:
            failure = str(error)[:200] or type(error).__name__
        pause = None
        if failure and one.tries + 1 < MOST_TRIES:
            pause = FIRST_PAUSE * 4**one.tries
        async with self._transaction() as connection:
            await connection.execute(
                notice_statements.tried(one.notice_id, one.webhook_id, failure, pause)
            )
        if failure:
            host = urlsplit(one.url).hostname
            log.warning("notice not delivered", host=host, why=failure, again=pause is not None)

    def _transaction(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return transaction(self._engine)


async def _events(connection: AsyncConnection, ids: set[int]) -> dict[int, Event]:
    found = await connection.execute(statements.event_list(ids=ids))
    return {row.id: rows.event(row) for row in found}


def _body(one: _Delivery) -> bytes:
    said = sentence(one.event, one.kind)
    host = urlsplit(one.url).hostname or ""
    told: dict[str, Any]
    if host in ("discord.com", "discordapp.com"):
        told = {"content": said}
    elif host == "hooks.slack.com":
        told = {"text": said}
    else:
        told = {
            "type": f"event.{one.kind}",
            "timestamp": iso_utc(one.at),
            "data": {"event": one.event.name, "title": one.event.said.title, "text": said},
        }
    return json.dumps(told, ensure_ascii=False).encode()


def _headers(one: _Delivery, body: bytes) -> dict[str, str]:
    now = datetime.now(UTC)
    id_ = f"notice-{one.notice_id}"
    return {
        "Content-Type": "application/json",
        "User-Agent": "bluff-arena",
        "webhook-id": id_,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(one.secret).sign(id_, now, body.decode()),
    }


class _NoRedirects(HTTPRedirectHandler):
    """Refuses to be sent elsewhere, where a signed notice was not meant to go."""

    def redirect_request(self, *_: Any) -> None:
        """Return nothing: then a redirect is an error like any other status."""


def _post(url: str, body: bytes, headers: Mapping[str, str]) -> None:
    request = Request(url, body, dict(headers), method="POST")  # noqa: S310  http and https alone
    with build_opener(_NoRedirects).open(request, timeout=ANSWER_SECONDS) as answer:
        answer.read(1)
