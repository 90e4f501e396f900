"""Commands that list print a page, and say of how much."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from arena.scheduling.pairings import Pairing
from arena.server.app.store import Store, open_store
from tests.commands.running import beside
from tests.server.tournaments.test_tournaments import created

Arena = Callable[..., Awaitable[str]]


@pytest.fixture
async def store(database: str) -> AsyncIterator[Store]:
    async with open_store(database) as opened:
        yield opened


@pytest.fixture
def arena(database: str, monkeypatch: pytest.MonkeyPatch) -> Arena:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)

    async def run(*words: str) -> str:
        result = await beside(*words)
        assert result.exit_code == 0, result.output
        return result.stdout

    return run


async def listed(arena: Arena, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(await arena(*words, "--json"))
    return found


@pytest.mark.slow
async def test_bots_and_owners_are_listed_by_page_and_by_the_beginning_of_their_name(
    arena: Arena, store: Store
) -> None:
    for name in ("fox", "Fox_2", "owl"):
        await store.register(name, f"{name}smith")
    bot_list, owner_list = ("bot", "list", "--operator"), ("owner", "list")
    for words, key, what in ((bot_list, "bot", "version"), (owner_list, "owner", "owner")):
        whole = [line[key] for line in await listed(arena, *words)]
        assert len(whole) == 3
        assert "The first" not in await arena(*words, "--limit", "3")
        assert [line[key] for line in await listed(arena, *words, "--limit", "2")] == whole[:2]
        said = f"The first 2 {what}s: --limit and --search show others."
        assert said in await arena(*words, "--limit", "2")
        both = [line[key] for line in await listed(arena, *words, "--search", "FOX")]
        assert both == whole[:2]
        (found,) = await listed(arena, *words, "--search", "fox_")
        assert found[key].startswith("Fox_2")
        assert await listed(arena, *words, "--search", "x_") == []
        assert f"The first {what}:" in await arena(*words, "--search", "fox", "--limit", "1")
    by_owner = await listed(arena, *bot_list, "--search", "Owlsmith")
    assert [line["bot"] for line in by_owner] == ["owl"]


async def test_invites_are_listed_newest_first(arena: Arena, store: Store) -> None:
    for uses in (1, 2, 3):
        await store.owners.invite(uses, 1, "operator")
    found = await listed(arena, "invite", "list", "--limit", "2")
    assert [line["uses_left"] for line in found] == [3, 2]
    assert "2 of 3 invites: --limit shows more." in await arena("invite", "list", "--limit", "2")


async def test_tournaments_their_pairings_and_their_standings_are_printed_by_page(
    arena: Arena, store: Store
) -> None:
    field = [(await store.register(f"bot{n}", f"owner{n}"))[0].version_id for n in range(4)]
    cups = [await created(store, field, name) for name in ("spring", "summer", "autumn")]
    found = await listed(arena, "tournament", "list", "--limit", "2")
    assert [line["name"] for line in found] == ["autumn", "summer"]
    assert "2 of 3 tournaments" in await arena("tournament", "list", "--limit", "2")
    found = await listed(arena, "tournament", "list", "--search", "SUM")
    assert [line["name"] for line in found] == ["summer"]
    pairs = [(1, 2), (3, 4), (1, 3), (2, 4)]
    pairings = [Pairing(1, table, pair) for table, pair in enumerate(pairs, start=1)]
    await store.tournaments.add_pairings(cups[0].id, pairings)
    shown = await arena("tournament", "show", "spring", "--limit", "1")
    assert "bot1 1 – bot3 1" in shown and "bot0 1 – bot1 1" not in shown
    assert "1 of 4 pairings, the last: --limit shows more." in shown
    whole = json.loads(await arena("tournament", "show", "spring", "--limit", "1", "--json"))
    assert len(whole["pairings"]) == 4
    assert "2 of 4 bots: --limit" in await arena("tournament", "standings", "spring", "--limit=2")
    assert " of 4 " not in await arena("tournament", "standings", "spring")


async def test_a_bot_that_withdraws_is_found_in_any_case(arena: Arena, store: Store) -> None:
    field = [(await store.register(name, f"{name}smith"))[0].version_id for name in ("Straße", "b")]
    await created(store, field, "spring")
    assert await arena("tournament", "withdraw", "spring", "STRASSE") == (
        "Withdrew Straße 1 from spring.\n"
    )
