"""What owners may do with their bots, and how much."""

import asyncio
from dataclasses import replace

import pytest

from arena.database.errors import (
    LimitReachedError,
    NameRefusedError,
    NotAllowedError,
    NotFoundError,
    RequestRefusedError,
    RetiredError,
    TooManyVersionsError,
)
from arena.records import Allowance, OwnBots
from arena.server.app.store import Store
from tests.recorded_results import finished
from tests.server.accounts.owners import PLENTY, ann


async def test_an_owner_registers_bots_and_versions_whose_tokens_are_valid(store: Store) -> None:
    owner = await ann(store)
    first, token = await store.owners.register(owner, "Лиса 2", "1", PLENTY)
    second, _ = await store.owners.register(owner, "лиса 2", "2", PLENTY)
    assert await store.authenticate(token) == first
    assert str(second.entrant) == "Лиса 2 2"
    seen = [(one.version, one.matches, one.faults) for one in await store.owners.bots(owner)]
    assert seen == [("2", 0, 0), ("1", 0, 0)]
    assert [one.id for one in await store.owners.bots(owner, OwnBots("ЛИСА 2"))] == [
        second.version_id,
        first.version_id,
    ]


async def test_an_owners_bots_are_read_page_by_page_and_by_the_beginning_of_their_name(
    store: Store,
) -> None:
    owner = await ann(store)
    for bot, label in (("fox", "1"), ("Fox 2", "1"), ("fox", "2"), ("owl", "1"), ("fox", "3")):
        await store.owners.register(owner, bot, label, PLENTY)
    wanted, pages = OwnBots(limit=2), []
    while page := await store.owners.bots(owner, wanted):
        pages.append([f"{one.bot} {one.version}" for one in page])
        wanted = replace(wanted, after=page[-1].id)
    assert pages == [["fox 3", "fox 2"], ["fox 1", "Fox 2 1"], ["owl 1"]]
    found = await store.owners.bots(owner, OwnBots(prefix="FOX "))
    assert [one.bot for one in found] == ["Fox 2"]
    assert await store.owners.bots(owner, OwnBots(prefix="ox")) == []
    last = await store.owners.bots(owner, OwnBots("fox", after=found[-1].id))
    assert last == []


async def test_matches_are_counted_by_version(store: Store) -> None:
    owner = await ann(store)
    versions = [
        (await store.owners.register(owner, bot, label, PLENTY))[0].version_id
        for bot, label in (("fox", "1"), ("owl", "1"), ("fox", "2"))
    ]
    await store.record([finished((versions[0], versions[1])) for _ in range(3)])
    await store.record([finished((versions[1], versions[2]))])
    counted = {(one.bot, one.version): one.matches for one in await store.owners.bots(owner)}
    assert counted == {("fox", "1"): 3, ("owl", "1"): 4, ("fox", "2"): 1}
    assert all(one.faults == 0 for one in await store.owners.bots(owner))


async def test_one_owner_can_do_nothing_to_anothers_bot(store: Store) -> None:
    owner = await ann(store)
    bob, _ = await store.owners.sign_up("Bob", None)
    _, token = await store.owners.register(owner, "fox", "1", PLENTY)
    owners = store.owners
    with pytest.raises(NameRefusedError, match="The bot fox is Ann's"):
        await owners.register(bob, "Fox", "2", PLENTY)
    with pytest.raises(NameRefusedError, match="looks like that of the bot fox"):
        await owners.register(bob, "fох", "2", PLENTY)
    for act in (
        lambda: owners.rotate(bob, "fox", None),
        lambda: owners.retire(bob, "fox", None),
        lambda: owners.describe(bob, "fox", {"text": "mine"}),
        lambda: owners.bots(bob, OwnBots("fox")),
        lambda: owners.bots(bob, OwnBots("nothing")),
    ):
        with pytest.raises(NotFoundError, match=r"You have no bot \w+"):
            await act()  # type: ignore[no-untyped-call]
    assert await store.authenticate(token) is not None
    assert [one.text for one in await owners.bots(owner)] == [""]


async def test_an_owner_has_only_so_many_bots_however_many_are_asked_for_at_once(
    store: Store,
) -> None:
    owner = await ann(store)
    few = Allowance(bots=3, bot_versions_a_day=24, owner_versions_a_day=50)

    async def register(number: int) -> bool:
        try:
            await store.owners.register(owner, f"fox {number}", "1", few)
        except LimitReachedError:
            return False
        return True

    assert sum(await asyncio.gather(*map(register, range(8)))) == 3
    with pytest.raises(LimitReachedError, match="You have 3 bots, and an owner may have 3: retire"):
        await store.owners.register(owner, "owl", "1", few)
    name = (await store.owners.bots(owner))[0].bot
    # A new version is not a new bot, and a retired bot makes room.
    await store.owners.register(owner, name, "2", few)
    await store.owners.retire(owner, name, None)
    assert await register(9)


async def test_an_owner_registers_only_so_many_versions_a_day(store: Store) -> None:
    owner = await ann(store)
    few = Allowance(bots=20, bot_versions_a_day=2, owner_versions_a_day=3)
    await store.owners.register(owner, "fox", "1", few)
    await store.owners.register(owner, "fox", "2", few)
    with pytest.raises(TooManyVersionsError, match="fox got 2 versions in the last 24 hours"):
        await store.owners.register(owner, "fox", "3", few)
    await store.owners.register(owner, "owl", "1", few)
    with pytest.raises(TooManyVersionsError, match="your bots got 3 versions") as caught:
        await store.owners.register(owner, "hen", "1", few)
    assert 86_000 < caught.value.wait_seconds <= 86_400


async def test_an_owner_rotates_and_retires_its_own(store: Store) -> None:
    owner = await ann(store)
    registered, old = await store.owners.register(owner, "fox", "1", PLENTY)
    new, label = await store.owners.rotate(owner, "FOX", None)
    assert label == "1"
    assert await store.authenticate(old) is None
    assert await store.authenticate(new) == registered
    await store.owners.retire(owner, "fox", "1")
    with pytest.raises(RetiredError):
        await store.authenticate(new)
    with pytest.raises(RetiredError):
        await store.owners.rotate(owner, "fox", None)


async def test_what_an_owner_says_of_a_bot_is_kept_field_by_field(store: Store) -> None:
    owner = await ann(store)
    await store.owners.register(owner, "fox", "1", PLENTY)
    said = {"text": " <b>It\r\nlies.</b> ", "language": "Rust", "link": "https://example.org/a?b#c"}
    await store.owners.describe(owner, "fox", said)
    await store.owners.describe(owner, "fox", {"language": "C++"})
    (row,) = await store.owners.bots(owner)
    assert (row.text, row.language, row.link) == (
        "<b>It\nlies.</b>",
        "C++",
        "https://example.org/a?b#c",
    )
    await store.owners.describe(owner, "fox", {"link": ""})
    assert [one.link for one in await store.owners.bots(owner)] == [""]


UNSHOWABLE = [
    ("link", "javascript:alert(1)"),
    ("link", "data:text/html,x"),
    ("link", " JavaScript:alert(1)//https://"),
    ("link", "https://a b"),
    ("link", 'https://example.org/"><script>alert(1)</script>'),
    ("link", "https://"),
    ("link", "https://good.example@evil.example/"),
    ("link", "https://example.org/" + "x" * 200),
    ("text", "x" * 1001),
    ("text", "a\x00b"),
    ("text", "a\u202eb"),
    ("language", "a\nb"),
    ("language", "x" * 41),
]


async def test_what_a_page_could_not_show_is_refused(store: Store) -> None:
    owner = await ann(store)
    await store.owners.register(owner, "fox", "1", PLENTY)
    for field, words in UNSHOWABLE:
        with pytest.raises(RequestRefusedError, match=f"The {field} "):
            await store.owners.describe(owner, "fox", {field: words})


async def test_an_owner_pauses_a_bot_of_its_own_and_lets_it_play_again(store: Store) -> None:
    owner = await ann(store)
    _, fox = await store.owners.register(owner, "fox", "1", PLENTY)
    await store.register("owl", "bob")
    await store.owners.pause(owner, "Fox")
    with pytest.raises(NotAllowedError, match="Its owner has paused the bot fox"):
        await store.authenticate(fox)
    assert [one.paused_at is not None for one in await store.owners.bots(owner)] == [True]
    with pytest.raises(NotFoundError):
        await store.owners.pause(owner, "owl")
    await store.owners.pause(owner, "fox", paused=False)
    assert await store.authenticate(fox) is not None
    assert [row.action for row in await store.owners.audit()][:2] == ["resume", "pause"]
