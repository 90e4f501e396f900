"""The feed of a bot has the builds that were accepted, escaped, and nothing that is private."""

import asyncio
from xml.etree import ElementTree

from starlette.applications import Starlette
from starlette.testclient import TestClient

from arena.server.app.store import open_store
from arena_dashboard.serving import feeds
from tests.dashboard.pages import html, open_page
from tests.databases import execute
from tests.jobs import accept_build, refuse_build
from tests.server.events.cups import signed_up, uploaded

ATOM = "{http://www.w3.org/2005/Atom}"
NAME = "Лиса the fox"


def builds(url: str) -> None:
    """A bot with an accepted and a refused build."""

    async def run() -> None:
        async with open_store(url) as store:
            owner = await signed_up(store, "ann")
            await uploaded(store, owner, NAME)
            await accept_build(store, url, NAME)
            await uploaded(store, owner, NAME, "x = 1")
            await refuse_build(store, url, NAME, "A secret <reason>.")

    asyncio.run(run())


def test_the_feed_of_a_bot_has_its_accepted_builds_alone(arena: str) -> None:
    builds(arena)
    client = TestClient(Starlette(routes=feeds.ROUTES), base_url="http://arena.example")
    page = html(open_page("bot", bot=NAME))
    address = "./feeds/bots/%D0%9B%D0%B8%D1%81%D0%B0%20the%20fox.atom"
    assert f'href="{address}"' in page
    answer = client.get(address.removeprefix("."))
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/atom+xml")
    assert "secret" not in answer.text
    feed = ElementTree.fromstring(answer.content)
    assert feed.findtext(f"{ATOM}title") == NAME
    (entry,) = feed.iter(f"{ATOM}entry")
    assert (
        entry.findtext(f"{ATOM}title") == f"{NAME}: version 1 is accepted, and plays from now on."
    )
    for element in (f"{ATOM}id", f"{ATOM}updated"):
        assert feed.findtext(element) and entry.findtext(element)
    assert client.get("/feeds/bots/none.atom").status_code == 404


def test_a_feed_is_valid_whatever_a_notice_says(arena: str) -> None:
    builds(arena)

    execute(arena, "UPDATE notices SET text = '<b>&\"]]>' || kind")
    client = TestClient(Starlette(routes=feeds.ROUTES), base_url="http://arena.example")
    feed = ElementTree.fromstring(client.get(f"/feeds/bots/{NAME}.atom").content)
    (entry,) = feed.iter(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}title") == '<b>&"]]>accepted'
