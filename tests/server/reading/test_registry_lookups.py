"""Calls about bots read what they are asked for, and not all bots."""

from typing import Any

import pytest

from arena.database.async_engine import async_engine
from arena.database.errors import StorageError
from arena.database.rows import BotVersion
from arena.records import Allowance
from arena.server.accounts.registration import Registration
from arena.server.app.store import Store
from arena.server.app.tokens import Tokens
from arena.server.reading.calls import ReadingCalls
from arena.server.requests.errors import ProtocolError
from arena.v1 import registry_pb2 as pb
from tests.scene import Scene


async def test_bots_are_read_by_the_page(database: str, scene: Scene) -> None:
    store, names = scene.arena.store, ["Zoe", "ann", "Bob", "carl", "ann2"]
    for name in names:
        await store.register(name, "me")
    await store.register("ann", "me", "2")
    rows_read = []

    def read(statement: Any) -> Any:
        rows = scene.arena.read(statement)
        rows_read.append(len(rows))
        return rows

    answers, listed, token = ReadingCalls(read), [], ""
    for _ in range(3):
        asked = pb.ListBotsRequest(page_size=2, page_token=token).SerializeToString()
        page = pb.ListBotsResponse.FromString(answers("ListBots", asked).content)
        listed += [(line.entrant.bot, line.entrant.version) for line in page.versions]
        token = page.next_page_token
    assert token == ""
    others = [(name, "1") for name in ("ann2", "Bob", "carl", "Zoe")]
    assert listed == [("ann", "1"), ("ann", "2"), *others]
    # Each page of versions, and their checks, of which there are none.
    assert rows_read == [3, 0, 3, 0, 2, 0]


class _NeverLists(Store):
    async def bots(self) -> list[BotVersion]:
        pytest.fail("all bots were read")


async def test_a_registration_looks_up_its_own_names_only(database: str) -> None:
    engine = async_engine(database)
    store = _NeverLists(engine)
    tokens, registration = Tokens(store), Registration(store.owners, Allowance(20, 24, 60))
    ann, key = await store.owners.sign_up("Ann", None)
    assert await tokens.registrant(key) == ann
    _, token = await registration.register(ann, "Fox", "", "1")
    bot = await tokens.registrant(token)
    await registration.register(bot, "fox", "", "2")
    bob, _ = await store.owners.sign_up("bob", None)
    for owner, name, words in (
        (bob, "fOX", "The bot Fox is Ann's"),
        (bot, "new", "registers new versions of Fox only"),
        (bob, "a\x00b", "cannot name the bot"),
    ):
        with pytest.raises((ProtocolError, StorageError), match=words):
            await registration.register(owner, name, "", "3")
    await registration.register(bob, "hare", "BOB", "1")
    await engine.dispose()
