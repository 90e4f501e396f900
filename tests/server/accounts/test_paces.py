"""The paces of bots: what owners wish, what the operator allows, and who learns of a change."""

import asyncio

import psycopg
import pytest

from arena.database.channels import RESULTS_CHANNEL, TOKENS_CHANNEL
from arena.database.errors import NotFoundError
from arena.records import Allowance
from arena.server.app.store import Store
from arena.v1 import owner_pb2 as pb
from tests.bots import PATIENCE, Peer
from tests.scene import playing
from tests.server.accounts.test_owner_calls import owners, sign_up
from tests.service_calls import bearing, refused

PLENTY = Allowance(20, 24, 50)


async def pace_of(store: Store, token: str) -> int | None:
    found = await store.authenticate(token)
    assert found is not None
    return found.pace


@pytest.mark.parametrize(
    ("wished", "allowed", "of_all", "pace"),
    [
        (None, None, None, None),
        (None, None, 60, 60),
        (10, None, 60, 10),
        (100, None, 60, 60),
        (None, 600, 60, 600),
        (100, 600, 60, 100),
        (None, 6, 60, 6),
    ],
)
async def test_the_operators_number_for_a_bot_replaces_that_for_all_and_owners_wish_for_fewer(
    store: Store, wished: int | None, allowed: int | None, of_all: int | None, pace: int | None
) -> None:
    owner, _ = await store.owners.sign_up("Ann", None)
    _, token = await store.owners.register(owner, "fox", "1", PLENTY)
    _, house = await store.register("honest", "house", house=True)
    await store.owners.wish_pace(owner, "Fox", wished)
    await store.owners.allow_pace("FOX", allowed, "operator")
    await store.policies.change({"bot_pace": of_all}, "operator")
    assert await pace_of(store, token) == pace
    assert await pace_of(store, house) is None, "the house has a pace of another kind"
    (seen,) = await store.owners.bots(owner)
    assert (seen.pace, seen.wished_pace) == (pace, wished)
    told = [(row.action, row.subject, row.details) for row in await store.owners.audit(3)]
    assert told == [
        ("set policy", "all bots", {"bot_pace": of_all or "none"}),
        ("set pace", "fox", {"most_pace": allowed or "max"}),
        ("set pace", "fox", {"pace": wished or "max"}),
    ]


async def test_referees_ask_anew_for_bots_when_the_pace_of_all_has_changed_and_only_then(
    store: Store, sql: psycopg.Connection
) -> None:
    sql.execute(f"LISTEN {TOKENS_CHANNEL}".encode())
    sql.execute(f"LISTEN {RESULTS_CHANNEL}".encode())
    for pace in (60, 60, None):
        await store.policies.change({"bot_pace": pace}, "operator")
    told = [one.channel for one in sql.notifies(timeout=PATIENCE, stop_after=5)]
    changed = [TOKENS_CHANNEL, RESULTS_CHANNEL]
    assert told == [*changed, RESULTS_CHANNEL, *changed]


async def test_nobody_sets_the_pace_of_anothers_bot(store: Store, sql: psycopg.Connection) -> None:
    owner, _ = await store.owners.sign_up("Ann", None)
    await store.register("owl", "bob")
    with pytest.raises(NotFoundError, match="You have no bot owl"):
        await store.owners.wish_pace(owner, "owl", 1)
    with pytest.raises(NotFoundError):
        await store.owners.allow_pace("nobody", 1, "operator")
    assert sql.execute("SELECT count(*) FROM bots WHERE pace > 0").fetchone() == (0,)


@pytest.mark.slow
async def test_a_pace_that_an_owner_sets_holds_for_streams_that_are_open(database: str) -> None:
    async with owners(database) as (scene, stub, _):
        key = await sign_up(stub, "Ann")
        mine = bearing(key)
        ann = await scene.arena.store.owners.by_key(key)
        assert ann is not None
        _, token = await scene.arena.store.owners.register(ann, "fox", "1", PLENTY)
        peers = [Peer(scene.port, token), Peer(scene.port, await scene.token("owl"))]
        async with playing(peers) as company:
            await company.go_on(10)
            code, why = await refused(
                stub.PaceBot(pb.PaceBotRequest(bot="fox", pace=-1), metadata=mine)
            )
            assert (code, why) == ("INVALID_ARGUMENT", "`pace` is 0 to 1,000,000, not -1")
            await stub.PaceBot(pb.PaceBotRequest(bot="fox", pace=2), metadata=mine)
            (bot,) = (await stub.ListOwnBots(pb.ListOwnBotsRequest(), metadata=mine)).bots
            assert (bot.pace, bot.wished_pace) == (2, 2)
            # The stream learns of it in a moment; then no third block of an hour begins.
            fox = company.peers[0]
            before = -1
            async with asyncio.timeout(PATIENCE):
                while len(fox.ended) != before:
                    before = len(fox.ended)
                    await asyncio.sleep(1)
            await stub.PaceBot(pb.PaceBotRequest(bot="fox"), metadata=mine)
            await company.go_on(10)
