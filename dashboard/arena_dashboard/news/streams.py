"""`OpenStreams`, the number of open streams of news, by page and by visitor's address.

A stream costs little and lasts long, so no visitor needs many; without limits one visitor could
take all that the dashboard can hold.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from arena.addresses import network_of

MOST_OF_A_PAGE: Final = 3
"""The most streams of a page.

A page needs one, but while its browser opens the next, the dashboard may not know yet that the last
has ended.
"""
MOST_OF_AN_ADDRESS: Final = 100
"""The most streams from one address: enough for a class behind it, with some tabs each."""
MOST: Final = 2_000
"""The most streams altogether."""
HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class OpenStreams:
    """The counts of open streams and their limits. Used in one event loop."""

    def __init__(
        self,
        of_a_page: int = MOST_OF_A_PAGE,
        of_an_address: int = MOST_OF_AN_ADDRESS,
        most: int = MOST,
    ) -> None:
        self._of_a_page, self._of_an_address, self._most = of_a_page, of_an_address, most
        self._pages: Counter[str] = Counter()
        self._addresses: Counter[str] = Counter()

    def room(self, page: str, address: str) -> bool:
        """Return whether the page may open another stream from that address."""
        return (
            self._pages[page] < self._of_a_page
            and self._addresses[address] < self._of_an_address
            and self._addresses.total() < self._most
        )

    @contextmanager
    def opened(self, page: str, address: str) -> Iterator[None]:
        """Count one more open stream while the block runs."""
        self._pages[page] += 1
        self._addresses[address] += 1
        try:
            yield
        finally:
            for counts, key in ((self._pages, page), (self._addresses, address)):
                counts[key] -= 1
                if not counts[key]:
                    del counts[key]


@cache
def open_streams() -> OpenStreams:
    """Return the open streams of this process."""
    return OpenStreams()


def stream_of(request: Request, page: str, events: AsyncIterator[str]) -> Response:
    """Return a stream of server-sent events for a page, or refuse one stream too many.

    After the refusal a browser does not try again by itself.
    """
    address = network_of(request.client.host if request.client else "")
    if not open_streams().room(page, address):
        return Response("Too many streams are open.", 429, headers={"Retry-After": "10"})
    counted = open_streams().opened(page, address)
    return CountedStream(counted, events, media_type="text/event-stream", headers=HEADERS)


class CountedStream(StreamingResponse):
    """A streamed response that holds the context `counted` while it is sent."""

    def __init__(self, counted: AbstractContextManager[None], content: Any, **more: Any) -> None:
        super().__init__(content, **more)
        self._counted = counted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._counted:
            await super().__call__(scope, receive, send)
