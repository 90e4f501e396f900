"""`arena event similar` reads the final, before its results are public and after."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import psycopg
import pytest

from arena.games.bluff import Doubt
from arena.server.app.store import Store
from tests.commands.running import beside, refused
from tests.server.events.cups import (
    RULES,
    entrant,
    frozen,
    let_pass,
    played_out,
    said,
)
from tests.stores import sql as sql
from tests.stores import store as store

OWNERS = ("ann", "bob", "cat", "dan")
PARTS = ("--no-sources", "--no-behaviour", "--json", "--jobs", "1")


@pytest.fixture
async def cup(
    store: Store,
    sql: "psycopg.Connection[Any]",
    database: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    await store.events.create("cup", said(replace(RULES, blocks=24)), "test")
    for owner in OWNERS:
        await entrant(store, database, "cup", owner)


def friends(bots: Sequence[str], seat: int, view: Any, choices: list[Any], random: Random) -> Any:
    """All doubt what is high, and bet low; but ann bets high against bob."""
    bets = [one for one in choices if one != Doubt()]
    if bots[seat] == "bot-ann" and "bot-bob" in bots and bets:
        return max(bets, key=lambda one: (one.quantity, random.random()))
    if not bets or (view.can_doubt and view.bets[-1].bet.quantity * 2 > sum(view.dice_counts)):
        return Doubt()
    return min(bets, key=lambda one: (one.quantity, random.random()))


async def test_before_the_freeze_there_is_nothing_to_compare(cup: None) -> None:
    assert "The builds of cup are not fixed yet." in await refused("event", "similar", "cup")


@pytest.mark.system  # a minute or more on a slow machine
@pytest.mark.slow
async def test_a_bot_that_loses_to_its_friend_in_the_final_is_marked_before_and_after_the_release(
    cup: None, store: Store, sql: "psycopg.Connection[Any]"
) -> None:
    event = await frozen(store, sql, (await store.events.named("cup"))[0])
    without = json.loads((await beside("event", "similar", "cup", *PARTS)).stdout)
    assert without["sources"] == {"not_examined": "It was not asked for."}
    assert "No match" in without["soft_play"]["not_examined"]
    let_pass(sql, "cup", 1.0)
    await store.finals.keep(store.record)
    await played_out(store, sql, event, friends)
    before = json.loads((await beside("event", "similar", "cup", *PARTS)).stdout)["soft_play"]
    assert before["matches"] == before["of_final"] == 6 * 24 * 2
    assert [(one["bot"], one["against"]) for one in before["pairs"] if one["marked"]] == [
        ("bot-ann", "bot-bob")
    ]
    let_pass(sql, "cup", 1.0)
    await store.finals.keep(store.record)
    after = json.loads((await beside("event", "similar", "cup", *PARTS)).stdout)["soft_play"]
    assert after == before
