"""Registering bots, and proving who one is."""

import psycopg
import pytest

from arena.database.errors import NameRefusedError, NameTakenError, NotFoundError, RetiredError
from arena.database.names import check_name
from arena.database.reading import Reader
from arena.match.transcript import Entrant
from arena.server.app.store import Store
from tests.ladder_log import all_versions
from tests.recorded_results import finished


async def test_the_token_of_a_registration_proves_who_a_bot_is(store: Store) -> None:
    registered, token = await store.register("Fox", "ann", "1.0", house=True)
    assert registered.entrant == Entrant("Fox", "1.0", "ann")
    assert registered.house
    assert await store.authenticate(token) == registered


async def test_a_token_is_stored_nowhere_in_clear(store: Store, sql: psycopg.Connection) -> None:
    _, token = await store.register("fox", "ann")
    assert token.startswith("arena_")
    for table in ("owners", "bots", "versions", "tokens"):
        rows = sql.execute(f"SELECT {table}::text FROM {table}".encode()).fetchall()
        assert rows
        assert token.encode().hex() not in str(rows)
        assert token.removeprefix("arena_") not in str(rows)


async def test_an_unknown_token_is_nobody(store: Store) -> None:
    await store.register("fox", "ann")
    for token in ("", "arena_", "arena_guessed", "Ⅷ\x00"):
        assert await store.authenticate(token) is None


async def test_a_new_version_has_a_token_of_its_own_and_keeps_the_bot(store: Store) -> None:
    first, first_token = await store.register("Fox", "Ann", "1", house=True)
    second, second_token = await store.register("fox", "ann", "2")
    assert second.entrant == Entrant("Fox", "2", "Ann")
    assert second.house
    assert second.version_id != first.version_id
    assert await store.authenticate(first_token) == first
    assert await store.authenticate(second_token) == second


async def test_a_version_is_registered_once(store: Store) -> None:
    await store.register("fox", "ann")
    with pytest.raises(NameTakenError, match="fox already has a version 1"):
        await store.register("fox", "ann")


async def test_nobody_registers_under_anothers_name(store: Store) -> None:
    await store.register("Fox", "ann")
    with pytest.raises(NameRefusedError, match="The bot Fox is ann's: choose another name"):
        await store.register("fOX", "bob", "2")
    assert [(row.bot, row.owner) for row in await store.bots()] == [("Fox", "ann")]


async def test_an_owner_that_looks_like_another_is_refused_with_its_bot(store: Store) -> None:
    await store.register("fox", "ann")
    with pytest.raises(NameRefusedError, match="looks like that of the owner ann: choose another"):
        await store.register("owl", "аnn")
    assert [row.bot for row in await store.bots()] == ["fox"]


async def test_no_bot_is_read_as_one_of_the_house(store: Store) -> None:
    await store.register("honest", "house", house=True)
    for name in ("hónest", "HÖNEST", "honešt", "ħonest", "h\u043enest"):
        with pytest.raises(NameTakenError, match="honest"):
            await store.register(name, "me")
    assert (await store.register("bonést", "me"))[0].entrant.bot == "bonést"
    # Bots of others may differ in marks.
    await store.register("fúchs", "me")
    await store.register("fuchs", "me")


@pytest.mark.parametrize("name", ["a b", "x" * 41, "1\n", "1§", "a/b", "<b>", "é"])
def test_a_label_that_is_not_allowed_is_told_what_is(name: str) -> None:
    allowed = "name the version: use 1 to 40 letters, digits, dots"
    with pytest.raises(NameRefusedError, match=allowed):
        check_name("version", name)


@pytest.mark.parametrize("kind", ["bot", "owner", "version"])
async def test_every_name_of_a_registration_is_checked(store: Store, kind: str) -> None:
    names = {"bot": "fox", "owner": "ann", "version": "1"} | {kind: "not/this"}
    with pytest.raises(NameRefusedError, match=f"'not/this' cannot name the {kind}"):
        await store.register(names["bot"], names["owner"], names["version"])


async def test_names_that_are_allowed_are_allowed_by_the_database_too(store: Store) -> None:
    for name in ("a", "x" * 40, "A.b_c-9"):
        registered, _ = await store.register(name, name, name)
        assert registered.entrant == Entrant(name, name, name)


async def test_a_rotated_token_ends_the_old_one(store: Store) -> None:
    registered, old = await store.register("fox", "ann")
    new, _ = await store.rotate_token("FOX")
    assert await store.authenticate(old) is None
    assert await store.authenticate(new) == registered


async def test_without_a_label_the_newest_version_in_service_gets_the_token(store: Store) -> None:
    await store.register("fox", "ann", "1")
    second, _ = await store.register("fox", "ann", "2")
    await store.register("fox", "ann", "3")
    await store.retire("fox", "3")
    newest, label = await store.rotate_token("fox")
    assert label == "2"
    assert await store.authenticate(newest) == second


async def test_a_retired_version_is_turned_away_and_the_others_are_not(store: Store) -> None:
    _, old = await store.register("fox", "ann", "1")
    second, new = await store.register("fox", "ann", "2")
    await store.retire("fox", "1")
    with pytest.raises(RetiredError, match="fox 1 is retired"):
        await store.authenticate(old)
    assert await store.authenticate(new) == second


async def test_a_retired_bot_is_out_with_all_versions_and_gets_no_new_one(store: Store) -> None:
    _, token = await store.register("fox", "ann")
    await store.retire("fox")
    with pytest.raises(RetiredError):
        await store.authenticate(token)
    with pytest.raises(RetiredError, match="choose another name"):
        await store.register("fox", "ann", "2")
    with pytest.raises(RetiredError, match="register a new version"):
        await store.rotate_token("fox")


async def test_retiring_again_keeps_the_first_date(store: Store) -> None:
    await store.register("fox", "ann")
    await store.retire("fox")
    (first,) = await store.bots()
    await store.retire("fox")
    assert first.retired_at is not None
    assert await store.bots() == [first]


async def test_an_unknown_bot_or_version_is_named(store: Store) -> None:
    await store.register("fox", "ann")
    with pytest.raises(NotFoundError, match="There is no bot wolf"):
        await store.rotate_token("wolf")
    with pytest.raises(NotFoundError, match="There is no version 9 of bot fox"):
        await store.retire("fox", "9")


async def test_the_list_of_bots_counts_matches_by_version(read: Reader, store: Store) -> None:
    fox, _ = await store.register("fox", "ann")
    owl, _ = await store.register("Owl", "bob")
    await store.register("fox", "ann", "2")
    await store.record([finished((fox.version_id, owl.version_id)) for _ in range(3)])
    listed = [(row.bot, row.version, row.matches) for row in await store.bots()]
    assert listed == [("fox", "1", 3), ("fox", "2", 0), ("Owl", "1", 3)]
    named = [(row.bot, row.version) for row in await store.bots(["FOX", "nobody"])]
    assert named == [("fox", "1"), ("fox", "2")]
    assert all_versions(read)[owl.version_id] == owl
