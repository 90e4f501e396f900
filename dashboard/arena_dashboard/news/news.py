"""`News`, which notifies open pages when their content is out of date.

While a page is visible, its browser holds a stream open. No page is run again while nothing is new,
and a value that several pages wait for is read once.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.database.errors import StorageError
from arena_dashboard.news.streams import stream_of

PULSE_SECONDS: Final = 4.0
"""The age in seconds that the content of a visible page may have."""
BEAT_SECONDS: Final = 20.0
"""The seconds after which a stream without news sends a comment, so that proxies keep it open."""
MOST_PAGES: Final = 2_000
"""The most pages that are known; a page that is not known is asked to run again."""


@dataclass(slots=True)
class _Topic:
    """A value that pages show, as it was when it was last read."""

    latest: Callable[[], Hashable]
    seconds: float
    """The age in seconds that the value may have."""
    value: Hashable = None
    asked_at: float = -float("inf")
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class News:
    """The values that open pages show, and whether there are newer ones. Threads may share it."""

    def __init__(self, seconds: float = PULSE_SECONDS) -> None:
        self._seconds = seconds
        self._lock = Lock()
        self._pages: OrderedDict[str, tuple[_Topic, Hashable]] = OrderedDict()
        self._topics: dict[Hashable, _Topic] = {}

    def shows(
        self,
        page: str,
        topic: Hashable,
        shown: Hashable,
        latest: Callable[[], Hashable],
        seconds: float | None = None,
    ) -> None:
        """Record that a page shows the value `shown` of a topic.

        `latest` returns the topic's current value, the same for all pages that show the topic; it
        may raise StorageError, and is called in any thread. The value shown may be `seconds` old.
        """
        with self._lock:
            found = self._topics.setdefault(topic, _Topic(latest, self._seconds))
            found.seconds = self._seconds if seconds is None else seconds
            self._pages[page] = found, shown
            self._pages.move_to_end(page)
            if len(self._pages) > MOST_PAGES:
                self._pages.popitem(last=False)
                used = {id(one) for one, _ in self._pages.values()}
                self._topics = {key: one for key, one in self._topics.items() if id(one) in used}

    async def of(self, page: str) -> AsyncIterator[bool]:
        """Yield repeatedly whether there is a value that the page neither shows nor was told of.

        The iteration ends if the page is not known.
        """
        told: Hashable = None
        while (found := self._pages.get(page)) is not None:
            topic, shown = found
            async with topic.lock:
                if time.monotonic() - topic.asked_at > topic.seconds / 2:
                    with suppress(StorageError):  # the old value stays
                        topic.value = await asyncio.to_thread(topic.latest)
                    topic.asked_at = time.monotonic()
            new = topic.value is not None and topic.value not in (shown, told)
            told = topic.value if new else told
            yield new
            await asyncio.sleep(topic.seconds)


@cache
def news() -> News:
    """Return the news of this process."""
    return News()


async def _stream(request: Request) -> Response:
    page = request.path_params["page"]
    return stream_of(request, page, _written(news().of(page)))


async def _written(told: AsyncIterator[bool]) -> AsyncIterator[str]:
    """Yield news as server-sent events: "new", and at the end, when the page is unknown, "gone"."""
    said_at = -float("inf")
    async for new in told:
        now = time.monotonic()
        if new or now - said_at > BEAT_SECONDS:
            said_at = now
            yield "data: new\n\n" if new else ": nothing new\n\n"
    yield "data: gone\n\n"


ROUTES: Final = (Route("/news/{page}", _stream),)
