"""The Atom feed of an event: its notices, for readers of feeds and for other programs."""

import asyncio
from typing import Final
from urllib.parse import urljoin

from feedgenerator import Atom1Feed
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from arena.database.errors import StorageError
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
    feed = Atom1Feed(
        title=event.said.title,
        link=page,
        description="",
        feed_url=urljoin(base, feed_address(event.name)),
        author_name="Bluff Arena",
    )
    for one in notices:
        feed.add_item(
            title=one.text,
            link=page,
            description="",
            unique_id=f"{page}#notice-{one.id}",
            updateddate=one.at,
        )
    return Response(feed.writeString("utf-8"), media_type="application/atom+xml")


ROUTES: Final = (Route(f"{_BELOW}/{{name}}", _feed),)
