"""Streams of news are limited by page and by visitor, and each that ends makes room again."""

from collections.abc import AsyncIterator
from contextlib import ExitStack

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from arena_dashboard.news.streams import MOST_OF_A_PAGE, OpenStreams, open_streams, stream_of


def test_a_page_an_address_and_all_together_have_so_many_streams() -> None:
    streams = OpenStreams(of_a_page=2, of_an_address=3, most=4)
    with ExitStack() as stack:
        for page, address in (("a", "1"), ("a", "1"), ("b", "1")):
            assert streams.room(page, address)
            stack.enter_context(streams.opened(page, address))
        assert not streams.room("a", "2")
        assert not streams.room("c", "1")
        assert streams.room("c", "2")
        stack.enter_context(streams.opened("c", "2"))
        assert not streams.room("d", "3")
    assert all(streams.room(page, "1") for page in "abcd")


def test_one_stream_too_many_is_refused_and_one_that_ended_is_forgotten() -> None:
    async def events() -> AsyncIterator[str]:
        yield "data: new\n\n"

    async def news(request: Request) -> Response:
        return stream_of(request, "page", events())

    with TestClient(Starlette(routes=[Route("/news", news)])) as client, ExitStack() as stack:
        for _ in range(MOST_OF_A_PAGE + 1):
            assert client.get("/news").text == "data: new\n\n"
        for _ in range(MOST_OF_A_PAGE):
            stack.enter_context(open_streams().opened("page", "192.0.2.9"))
        refused = client.get("/news")
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "10")


@pytest.fixture(autouse=True)
def _own_counts() -> None:
    open_streams.cache_clear()
