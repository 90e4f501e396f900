"""The Atom feeds of events and of bots, for readers of feeds and for other programs.

A bot's feed says which builds were accepted. Its other notices are for its owner only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urljoin

from feedgenerator import Atom1Feed
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from arena.database.errors import StorageError
from arena_dashboard.bots import bot_data
from arena_dashboard.events import event_data
from arena_dashboard.events.event_tables import event_link
from arena_dashboard.parts.tables import bot_link

_EVENTS: Final = "/feeds/events"
_BOTS: Final = "/feeds/bots"
_END: Final = ".atom"


@dataclass(frozen=True, slots=True)
class _Feed:
    """What a feed holds."""

    title: str
    page: str
    """The address of the page that it is about, below the dashboard's."""
    address: str
    notices: Sequence[Any]
    """Rows with `id`, `text` and `at`, oldest first."""


def event_feed_address(name: str) -> str:
    """Return the address of an event's feed."""
    return f".{_EVENTS}/{quote(name, safe='')}{_END}"


def bot_feed_address(name: str) -> str:
    """Return the address of a bot's feed."""
    return f".{_BOTS}/{quote(name, safe='')}{_END}"


def _of_event(name: str) -> _Feed | None:
    found = event_data.named(name, None)
    if found is None:
        return None
    event = found.event
    page, address = event_link(event.name), event_feed_address(event.name)
    return _Feed(event.terms.title, page, address, event_data.notices(event))


def _of_bot(name: str) -> _Feed | None:
    bot = bot_data.profile(name)
    if bot is None:
        return None
    page, address = bot_link(bot.name), bot_feed_address(bot.name)
    return _Feed(bot.name, page, address, bot_data.accepted_builds(bot.name))


def _route(below: str, find: Callable[[str], _Feed | None]) -> Route:
    # Starlette runs it in a thread: it reads the database.
    def answer(request: Request) -> Response:
        return _answer(find, request.path_params["name"], str(request.base_url))

    return Route(f"{below}/{{name}}", answer)


def _answer(find: Callable[[str], _Feed | None], name: str, base: str) -> Response:
    try:
        found = find(name.removesuffix(_END)) if name.endswith(_END) else None
    except StorageError:
        return PlainTextResponse("The database does not answer: come back later.\n", 503)
    if found is None:
        return PlainTextResponse("There is no such feed.\n", 404)
    page = urljoin(base, found.page)
    feed = Atom1Feed(
        title=found.title,
        link=page,
        description="",
        feed_url=urljoin(base, found.address),
        author_name="Bluff Arena",
    )
    for one in found.notices:
        feed.add_item(
            title=one.text,
            link=page,
            description="",
            unique_id=f"{page}#notice-{one.id}",
            updateddate=one.at,
        )
    return Response(feed.writeString("utf-8"), media_type="application/atom+xml")


ROUTES: Final = (_route(_EVENTS, _of_event), _route(_BOTS, _of_bot))
