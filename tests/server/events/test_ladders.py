"""Ladders of events: who plays, at which pace, what is recorded, and how they stand."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import psycopg
import pytest

from arena.builds.house import house_build
from arena.database.errors import RequestRefusedError
from arena.database.names import folded
from arena.server.app.store import Store
from arena.server.events.event import Event, LadderRules
from arena.server.events.finals.finals import FinalBlockId
from arena.server.events.ladders.ladder_standings import seated
from arena.server.events.ladders.ladders import MOST_IN_HAND, ROUND
from tests.jobs import accept_build
from tests.server.events.cups import (
    done,
    entrant,
    let_pass,
    played,
    queued,
    said,
    signed_up,
    uploaded,
)

LADDER = LadderRules(("random", "honest"), pace=600, enough=5)


async def ladder(
    store: Store, database: str, names: tuple[str, ...] = ("ann", "bob"), **own: Any
) -> Event:
    """An event with a ladder whose entries are open, with these entrants."""
    event, _ = await store.events.create("cup", said(ladder=LADDER, **own), "me")
    for name in names:
        await entrant(store, database, "cup", name)
    await store.ladders.keep()
    return event


async def play(store: Store, block: FinalBlockId) -> tuple[str, ...] | None:
    """Play a block; return its bots in the order of the first match's seats."""
    found = await store.ladders.begin_block(block)
    if found is None:
        return None
    await store.ladders.end_block(block, list(map(played, found.matches)), await store.signer())
    return tuple(one.bot for one in found.matches[0].setup.entrants)


async def play_all(store: Store, sql: "psycopg.Connection[Any]") -> list[tuple[str, ...]]:
    """Play what is queued until nothing is; return the bots of the blocks."""
    found = []
    while blocks := queued(sql):
        done(sql)
        found += [bots for block in blocks if (bots := await play(store, block))]
    return found


@pytest.mark.slow
async def test_a_ladder_is_played_until_every_build_has_enough(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    event = await ladder(store, database)
    assert len(queued(sql)) == MOST_IN_HAND
    blocks = await play_all(store, sql)
    assert {bot for bots in blocks for bot in bots} == {"bot-ann", "bot-bob", "random", "honest"}
    own = [sum(f"bot-{name}" in bots for bots in blocks) for name in ("ann", "bob")]
    assert min(own) == LADDER.enough
    assert not any({"random", "honest"} == set(bots) for bots in blocks)
    await store.ladders.keep()
    assert queued(sql) == []
    # A new build begins anew, at once.
    owner = await store.owners.named("ann")
    await uploaded(store, owner, "bot-ann", "print()")
    await accept_build(store, database, "bot-ann")
    await store.ladders.keep()
    again = await play_all(store, sql)
    assert sum("bot-ann" in bots for bots in again) == LADDER.enough
    lines = await store.event_views.ladder(None, event)
    assert [line.player.entrant.bot for line in lines].count("bot-ann") == 1
    assert len(lines) == 4
    assert all(line.rank_low <= line.rank_high <= 4 for line in lines)
    assert lines[0].elo >= lines[-1].elo


async def test_the_pace_is_in_the_times_at_which_blocks_may_begin(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    await ladder(store, database)
    times = [
        row[0]
        for row in sql.execute(
            "SELECT scheduled_at FROM procrastinate.procrastinate_jobs"
            " WHERE task_name = 'final' ORDER BY id"
        )
    ]
    gaps = {(after - before).total_seconds() for before, after in pairwise(times)}
    assert gaps == {3600 * 2 / LADDER.pace}


async def test_a_block_that_is_begun_again_is_the_same_and_is_recorded_once(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    event = await ladder(store, database)
    block = queued(sql)[0]
    assert block.round == ROUND
    found = await store.ladders.begin_block(block)
    assert found is not None
    assert await store.ladders.begin_block(block) == found
    assert await store.ladders.begin_block(replace(block, event_id=99_999)) is None
    handed_in = list(map(played, found.matches))
    signer = await store.signer()
    await store.ladders.end_block(block, handed_in, signer)
    await store.ladders.end_block(block, handed_in, signer)
    assert await store.ladders.begin_block(block) is None
    matches = await store.event_views.matches(None, event)
    assert len(matches) == 2
    bots = [player.entrant.bot for player, _ in matches[0].seats]
    for bot in bots:
        assert await store.event_views.matches(None, event, bot=bot.upper()) == matches
    assert await store.event_views.matches(None, event, bot="nobody") == []
    kept = await store.event_views.transcript(None, event, matches[0].match_id)
    assert kept is not None
    assert kept.setup.match_id == matches[0].match_id


async def test_matches_of_a_bot_are_found_in_any_case_of_any_script(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    event = await ladder(store, database)
    for bot, name in (("bot-ann", "ΟΔΟΣ"), ("bot-bob", "ΛΟΓΟΣ")):
        renamed = "UPDATE bots SET name = %s, folded = %s WHERE name = %s"
        sql.execute(renamed, [name, folded(name), bot])
    names = await play(store, queued(sql)[0])
    assert names is not None and {"ΟΔΟΣ", "ΛΟΓΟΣ"} & set(names)
    matches = await store.event_views.matches(None, event)
    for name in names:
        for written in (name, name.lower(), name.upper()):
            assert await store.event_views.matches(None, event, bot=written) == matches


async def test_a_worker_gets_the_builds_of_a_block_those_of_the_house_too(
    store: Store, database: str
) -> None:
    event = await ladder(store, database)
    build = house_build("honest")
    assert await store.ladders.build_file(event.id, build.sha256) == build.data


async def test_builds_play_each_other_where_no_bot_of_the_house_plays(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    await store.events.create("cup", said(ladder=replace(LADDER, house=())), "me")
    for name in ("ann", "bob"):
        await entrant(store, database, "cup", name)
    await store.ladders.keep()
    assert sorted(await play(store, queued(sql)[0]) or ()) == ["bot-ann", "bot-bob"]


async def test_nothing_is_played_after_the_results(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    await ladder(store, database)
    block = queued(sql)[0]
    let_pass(sql, "cup", 10)
    await store.finals.keep(store.record)
    await store.events.cancel("cup", "me", "")
    assert await store.ladders.begin_block(block) is None


async def test_a_block_that_no_worker_brings_to_its_end_is_given_up_and_others_are_played(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    await ladder(store, database)
    for block in queued(sql):
        assert await store.ladders.begin_block(block) is not None
    done(sql)
    assert await store.ladders.keep()
    assert len(queued(sql)) == MOST_IN_HAND
    assert sql.execute("SELECT sum(blocks) FROM event_players").fetchone() == (0,)
    assert sql.execute(
        "SELECT count(*) FROM event_ladder_blocks WHERE ended_at IS NULL"
    ).fetchone() == (0,)


async def test_no_more_blocks_are_in_hand_than_a_few_however_slow_the_bots_are(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    await ladder(store, database)
    for block in queued(sql)[:3]:
        await store.ladders.begin_block(block)
    sql.execute(
        "UPDATE procrastinate.procrastinate_jobs SET status = 'doing' WHERE task_name = 'final'"
        " AND id IN (SELECT id FROM procrastinate.procrastinate_jobs WHERE task_name = 'final'"
        " ORDER BY id LIMIT 3)"
    )
    await store.ladders.keep()
    assert len(queued(sql)) == MOST_IN_HAND - 3


@pytest.mark.slow
async def test_a_build_that_does_not_start_costs_others_nothing_and_is_tried_so_often(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    await ladder(store, database)
    while blocks := queued(sql):
        done(sql)
        for block in blocks:
            found = await store.ladders.begin_block(block)
            if found is None:
                continue
            names = [one.registered.entrant.bot for one in found.builds]
            if "bot-ann" in names:
                await store.ladders.absent(block, [names.index("bot-ann")], "It ended.")
            else:
                await play(store, block)
    counts = dict(
        sql.execute(
            "SELECT bots.name, event_players.blocks FROM event_players"
            " JOIN versions ON versions.id = version_id JOIN bots ON bots.id = bot_id"
        ).fetchall()
    )
    played = sql.execute(
        "SELECT count(*) FROM event_ladder_blocks WHERE placings IS NOT NULL"
    ).fetchone()
    assert counts["bot-ann"] >= LADDER.enough
    assert played == (counts["bot-bob"],) == (LADDER.enough,)


async def test_looks_and_blocks_use_up_no_numbers_of_players(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    await ladder(store, database)
    await play_all(store, sql)
    assert sql.execute("SELECT max(id) FROM event_players").fetchone() == (4,)


async def test_no_entrant_is_named_like_a_bot_of_the_house(store: Store, database: str) -> None:
    await store.events.create("cup", said(ladder=LADDER), "me")
    owner = await signed_up(store, "ann")
    await uploaded(store, owner, "Honest")
    with pytest.raises(RequestRefusedError, match="a house bot is called Honest"):
        await store.events.enter(owner, "cup", "honest")


def test_the_placings_of_a_block_are_by_match_and_then_by_seat() -> None:
    assert seated((7, 8, 9), (1, 2, 3, 3, 2, 2, 1, 1, 3)) == [
        [(7, 1), (8, 2), (9, 3)],
        [(8, 3), (9, 2), (7, 2)],
        [(9, 1), (7, 1), (8, 3)],
    ]
