"""A database in which four authors have a bot each: most finals of tests begin with them."""

import asyncio
from collections.abc import Iterator

import pytest
from sqlalchemy import make_url

from arena.server.app.store import open_store
from tests.databases import TEMPLATE, Copies
from tests.server.events.cups import AUTHORS, author


@pytest.fixture(scope="session")
def authors(copies: Copies) -> Iterator[str]:
    """The name of the database, which is copied for each test."""

    async def signed_up(url: str) -> None:
        async with open_store(url) as store:
            for name in AUTHORS:
                await author(store, url, name)

    with copies.of(TEMPLATE) as url:
        asyncio.run(signed_up(url))
        yield str(make_url(url).database)


@pytest.fixture
def database(copies: Copies, authors: str) -> Iterator[str]:
    """The URL of a copy of it."""
    with copies.of(authors) as url:
        yield url
