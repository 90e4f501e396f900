"""Lists of bots: whole, by the page, searched, and what each of them says."""

import psycopg
import pytest

from arena.database.errors import TooManyVersionsError
from arena.database.keys import token_hash
from arena.database.reading import Reader
from arena.records import Allowance
from arena.server.accounts import bot_statements
from arena.server.app.store import Store
from tests import recorded_matches
from tests.recorded_results import finished


async def some(store: Store) -> dict[str, int]:
    """Versions of three bots, registered in no order; their ids."""
    found = {}
    for bot, owner, version in (
        ("wolf", "ann", "1"),
        ("Fox", "bob", "1"),
        ("Fox", "bob", "2"),
        ("bear", "ann", "1"),
        ("fox-2", "Carl", "1"),
    ):
        registered, _ = await store.register(bot, owner, version, house=bot == "bear")
        found[f"{bot} {version}"] = registered.version_id
    return found


def names(read: Reader, **wanted: object) -> list[str]:
    return [row.name for row in read(bot_statements.bot_page(**wanted))]  # type: ignore[arg-type]


async def test_a_page_of_bots_is_by_name_whatever_its_case(read: Reader, store: Store) -> None:
    await some(store)
    assert names(read) == ["bear", "Fox", "fox-2", "wolf"]
    assert names(read, limit=2) == ["bear", "Fox"]
    assert names(read, after="fox", limit=2) == ["fox-2", "wolf"]
    assert names(read, before="fox-2", limit=1) == ["Fox"]
    assert names(read, before="wolf") == ["bear", "Fox", "fox-2"]
    assert names(read, after="m", limit=2) == ["wolf"]
    assert names(read, after="wolf") == names(read, before="bear") == []


async def test_bots_are_found_by_the_beginning_of_their_name_or_by_their_owner(
    read: Reader, store: Store
) -> None:
    await some(store)
    assert names(read, search="FO") == ["Fox", "fox-2"]
    assert names(read, search="ANN") == ["bear", "wolf"]
    assert names(read, search="an") == names(read, search="ox") == []
    assert names(read, search="%") == names(read, search="nothing") == []
    assert names(read, search="fox", after="fox") == ["fox-2"]
    assert names(read, search="ann", before="wolf", limit=1) == ["bear"]
    # One that both find is one.
    await store.register("annie", "ann")
    assert names(read, search="ann") == ["annie", "bear", "wolf"]
    assert names(read, search="ann", limit=2) == ["annie", "bear"]
    listed = await store.find_bots("ann", 2)
    assert [(row.bot, row.version) for row in listed] == [("annie", "1"), ("bear", "1")]
    assert [row.version for row in await store.find_bots("bob", 9)] == ["1", "2"]


async def test_names_are_in_the_order_of_their_code_points(read: Reader, store: Store) -> None:
    for name in ("zebra", "Éclair", "a-b", "ab", "a b"):
        await store.register(name, "ann")
    assert names(read) == ["a b", "a-b", "ab", "zebra", "Éclair"]
    assert names(read, search="É") == ["Éclair"]


async def test_a_page_says_of_each_bot_how_many_versions_it_has_and_the_newest(
    read: Reader, store: Store
) -> None:
    await some(store)
    await store.retire("wolf")
    bear, fox, _, wolf = read(bot_statements.bot_page())
    assert (fox.owner, fox.house, fox.versions, fox.newest) == ("bob", False, 2, "2")
    assert (bear.owner, bear.house, bear.versions, bear.newest) == ("ann", True, 1, "1")
    assert (fox.retired_at, wolf.retired_at is None) == (None, False)
    assert fox.created_at


async def test_a_profile_has_all_versions_the_newest_first(read: Reader, store: Store) -> None:
    await some(store)
    await store.retire("fox", "1")
    found = read(bot_statements.profile_of("FOX"))
    assert [(row.bot, row.version, row.owner) for row in found] == [
        ("Fox", "2", "bob"),
        ("Fox", "1", "bob"),
    ]
    assert [row.retired_at is not None for row in found] == [False, True]
    assert all(row.created_at for row in found)
    assert read(bot_statements.versions_of("fox", "1"))[0].version == "1"
    assert read(bot_statements.versions_of("fox", "3")) == []


async def test_the_list_of_versions_is_read_page_by_page(read: Reader, store: Store) -> None:
    ids = await some(store)
    await store.record([finished((ids["wolf 1"], ids["Fox 2"])) for _ in range(2)])  # type: ignore[arg-type]
    whole = read(bot_statements.bot_list())
    listed = [f"{row.bot} {row.version}" for row in whole]
    assert listed == ["bear 1", "Fox 1", "Fox 2", "fox-2 1", "wolf 1"]
    assert [row.matches for row in whole] == [0, 0, 2, 0, 2]
    after: int | None = None
    pages = []
    while page := read(bot_statements.bot_list(after=after, limit=2)):
        pages.append([row.id for row in page])
        after = page[-1].id
    assert pages == [[ids[name] for name in part] for part in (listed[:2], listed[2:4], listed[4:])]


async def test_the_hashes_of_the_newest_tokens_and_of_keys_are_known(store: Store) -> None:
    tokens = [(await store.register(name, "ann"))[1] for name in ("fox", "owl")]
    hashes = [token_hash(token) for token in tokens]
    assert await store.token_hashes(100) == hashes
    _, key = await store.owners.sign_up("bob", None)
    # Of more than are remembered, the newest of bots: not as many as there are.
    assert await store.token_hashes(3) == [*hashes, token_hash(key)]
    assert await store.token_hashes(2) == [hashes[1], token_hash(key)]
    assert await store.token_hashes(1) == [token_hash(key)]
    assert len(set(tokens)) == 2
    assert all(len(token) == len("arena_") + 43 for token in tokens)


async def test_a_bot_gets_so_many_versions_in_a_day_and_is_told_how_long_to_wait(
    store: Store, sql: psycopg.Connection
) -> None:
    ann, _ = await store.owners.sign_up("ann", None)
    few = Allowance(bots=20, bot_versions_a_day=2, owner_versions_a_day=60)
    for version in "12":
        await store.owners.register(ann, "fox", version, few)
    with pytest.raises(TooManyVersionsError, match="fox got 2 versions") as refused:
        await store.owners.register(ann, "fox", "3", few)
    assert 86_000 < refused.value.wait_seconds <= 86_400
    await store.owners.register(ann, "owl", "1", few)
    sql.execute("UPDATE versions SET created_at = now() - interval '25 hours' WHERE label = '1'")
    sql.execute("UPDATE versions SET created_at = now() - interval '23 hours' WHERE label = '2'")
    await store.owners.register(ann, "fox", "3", few)
    with pytest.raises(TooManyVersionsError) as refused:
        await store.owners.register(ann, "fox", "4", few)
    assert 3_500 < refused.value.wait_seconds <= 3_600
    await store.register("fox", "ann", "4")


async def test_matches_are_listed_up_to_a_number_and_older_ones_after_them(store: Store) -> None:
    ids = await some(store)
    pair = (ids["wolf 1"], ids["Fox 2"])
    await store.record([finished(pair, minute=n) for n in range(51)])  # type: ignore[arg-type]
    listed = await recorded_matches.matches(store, limit=50)
    assert len(listed) == 50
    assert len(await recorded_matches.matches(store, limit=51)) == 51
    rest = await recorded_matches.matches(store, before=listed[-2].match_id)
    assert len(rest) == 2 and rest[0] == listed[-1]
