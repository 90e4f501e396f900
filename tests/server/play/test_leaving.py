"""How a bot without the SDK leaves: it declines, finishes its matches and closes its side."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from arena.server.play.terms import Patience, Terms
from arena.v1 import referee_pb2 as pb
from tests.bots import Peer
from tests.scene import Company, Scene, good_pair, opened

REST_SECONDS = 1.0
"""How long a bot is offered nothing after a decline, here."""


@pytest.fixture
async def scene(database: str, quiet: list[Any]) -> AsyncIterator[Scene]:
    patience = Patience(join_seconds=5, grace_seconds=0.5, decline_seconds=REST_SECONDS)
    async with opened(database, terms=Terms(patience=patience)) as scene:
        scene.log = quiet
        yield scene


def events(scene: Scene, bot: str) -> list[str]:
    """What the operator reads of a bot."""
    return [line["event"] for line in scene.log if line.get("bot") == f"{bot} 1"]


async def gone(scene: Scene, bot: str, pair: Company) -> None:
    """Wait until the referee knows that the bot has left."""
    while "bot disconnected" not in events(scene, bot):
        await pair.go_on(1)


async def decline(peer: Peer, message: pb.PlayResponse) -> None:
    if message.offers:
        await peer.say(declines=[pb.Decline(match_id=o.match_id) for o in message.offers])


@pytest.mark.slow
async def test_after_a_decline_nothing_is_offered_for_the_time_that_is_promised(
    scene: Scene,
) -> None:
    now = asyncio.get_running_loop().time
    async with good_pair(scene), await scene.peer("shy", max_matches=8) as shy:
        await shy.greet()
        declined_at: dict[str, float] = {}
        rests_until, rests = 0.0, 0
        while rests < 3:
            message = await shy.hear()
            if message.offers:
                # What was offered before the referee had read a decline is none of its promise.
                rests += rests_until > 0
                assert now() >= rests_until
                declined_at |= {offer.match_id: now() for offer in message.offers}
                await decline(shy, message)
            for withdrawal in message.withdrawals:
                rests_until = declined_at[withdrawal.match_id] + REST_SECONDS
        assert events(scene, "shy") == ["bot connected"]
    assert await scene.results("shy") == []


@pytest.mark.slow
async def test_who_declines_finishes_and_closes_gets_an_ok_and_plays_when_it_returns(
    scene: Scene,
) -> None:
    async with good_pair(scene) as pair:
        async with await scene.peer("leaver", max_matches=4) as leaver:
            await leaver.greet()
            await leaver.play(until=lambda: len(leaver.ended) >= 4)
            playing = leaver.offers.keys() - leaver.ended - withdrawn(leaver)
            while playing - withdrawn(leaver) - set(leaver.ended):
                message = await leaver.hear()
                await decline(leaver, message)
                if message.turns:
                    await leaver.say(answers=[leaver.answer(turn) for turn in message.turns])
            await leaver.call.done_writing()
            code, _ = await leaver.status()
        assert code is grpc.StatusCode.OK
        await gone(scene, "leaver", pair)
        async with await scene.peer("leaver", max_matches=4) as again:
            await again.greet()
            await again.play(until=lambda: bool(again.ended))
            assert events(scene, "leaver") == ["bot connected", "bot disconnected", "bot connected"]
            assert await scene.faults("leaver") == 0


def withdrawn(peer: Peer) -> set[str]:
    """The matches that did not take place."""
    return {one.match_id for message in peer.heard for one in message.withdrawals}


@pytest.mark.slow
async def test_to_close_is_to_decline_what_is_still_offered(scene: Scene) -> None:
    async with good_pair(scene) as pair:
        async with await scene.peer("leaver") as leaver:
            await leaver.greet()
            await leaver.hear_until(lambda message: message.offers)
            await leaver.call.done_writing()
            code, _ = await leaver.status()
        assert code is grpc.StatusCode.OK
        await gone(scene, "leaver", pair)
        assert events(scene, "leaver") == ["bot connected", "bot disconnected"]


@pytest.mark.slow
async def test_a_bot_that_is_cut_off_with_an_offer_unanswered_is_left_out(scene: Scene) -> None:
    async with good_pair(scene) as pair:
        async with await scene.peer("crasher") as crasher:
            await crasher.greet()
            await crasher.hear_until(lambda message: message.offers)
            crasher.call.cancel()
        await gone(scene, "crasher", pair)
        assert events(scene, "crasher") == ["bot connected", "bot left out", "bot disconnected"]
