"""The Atom feed of an event: its notices, for readers of feeds and for other programs."""

import asyncio
from typing import Any, Final
from urllib.parse import urljoin

from feedgen.feed import FeedGenerator
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from arena.database.errors import StorageError
from arena.server.events.notices import sentence
from arena_dashboard import event_data
from arena_dashboard.event_tables import event_link

_BELOW: Final = "/feeds/events"


def feed_address(name: str) -> str:
    """Return the address of an event's feed."""
    return f".{_BELOW}/{name}.atom"


async def _feed(request: Request) -> Response:
    base = str(request.base_url)
    # In a thread, as it reads the database.
    return await asyncio.to_thread(_answer, request.path_params["name"], base)


def _answer(name: str, base: str) -> Response:
    try:
        found = event_data.named(name.removesuffix(".atom"))
        notices = event_data.notices(found.event) if found is not None else ()
    except StorageError:
        return PlainTextResponse("The database does not answer: come back later.\n", 503)
    if found is None or not name.endswith(".atom"):
        return PlainTextResponse("There is no such event.\n", 404)
    event = found.event
    page = urljoin(base, event_link(event.name))
    feed: Any = FeedGenerator()
    feed.id(page)
    feed.title(event.said.title)
    feed.link(href=page, rel="alternate")
    feed.link(href=urljoin(base, feed_address(event.name)), rel="self")
    feed.author(name="Bluff Arena")
    feed.updated(max((one.at for one in notices), default=event.said.dates.opens))
    for one in notices:
        entry = feed.add_entry()
        entry.id(f"{page}#notice-{one.id}")
        entry.title(sentence(event, one.kind))
        entry.link(href=page)
        entry.updated(one.at)
    return Response(feed.atom_str(pretty=True), media_type="application/atom+xml")


ROUTES: Final = (Route(f"{_BELOW}/{{name}}", _feed),)
