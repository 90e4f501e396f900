"""Connections that break, stall or reconnect, and their matches."""

import asyncio
from contextlib import AsyncExitStack
from functools import partial
from time import monotonic
from typing import Any

import grpc
import pytest

from arena.codec import bot_side
from arena.server.play.terms import Patience, Terms
from arena.v1 import referee_pb2
from tests import recorded_matches
from tests.bots import PATIENCE, Peer
from tests.fault_proxy import FaultProxy
from tests.scene import Scene, good_pair, opened, playing
from tests.server.play.test_restarts import PATIENT
from tests.waiting import until_async


async def through(proxy: FaultProxy, scene: Scene, bot: str, **hello: object) -> Peer:
    """A bot on the other side of the proxy."""
    return Peer(proxy.port, await scene.token(bot), **hello)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["cut", "cancelled"])
async def test_a_bot_that_vanishes_forfeits_what_it_was_playing(scene: Scene, how: str) -> None:
    async with (
        good_pair(scene),
        FaultProxy(("127.0.0.1", scene.port)) as proxy,
        await through(proxy, scene, "vanishing", max_matches=1) as peer,
    ):
        await peer.greet()
        turn = await peer.to_first_turn()
        if how == "cut":
            proxy.cut()
        else:
            peer.call.cancel()
        row = await scene.recorded(turn.match_id)
        assert [seat.bot for seat in row.seats if seat.forfeited] == ["vanishing"]


@pytest.mark.slow
async def test_an_end_that_a_dead_line_has_swallowed_is_told_on_the_next_stream(
    hasty: Scene,
) -> None:
    async with (
        FaultProxy(("127.0.0.1", hasty.port)) as proxy,
        await through(proxy, hasty, "swallowed", max_matches=1) as peer,
        await hasty.peer("there", max_matches=1) as there,
    ):
        await peer.greet()
        await there.greet()
        playing_on = asyncio.create_task(there.play())
        match_id = (await peer.to_first_turn()).match_id
        proxy.swallow = True
        await until_async(lambda: match_id in there.ended)
        async with await hasty.peer("swallowed", max_matches=1) as back:
            await back.greet()
            await back.hear_until(lambda _: match_id in back.ended)
        await there.channel.close()
        await asyncio.gather(playing_on, return_exceptions=True)


@pytest.mark.slow
async def test_many_bots_vanishing_at_once_make_no_noise(scene: Scene) -> None:
    async with good_pair(scene):
        for _ in range(3):
            async with FaultProxy(("127.0.0.1", scene.port)) as proxy:
                peers = [
                    await through(proxy, scene, f"vanishing{number}", max_matches=8)
                    for number in range(6)
                ]
                await asyncio.gather(*(peer.greet() for peer in peers))
                playing = [asyncio.create_task(peer.play()) for peer in peers]
                await until_async(partial(_all_were_asked, peers))
                proxy.cut()
                ended = await asyncio.gather(*playing, return_exceptions=True)
                # InvalidStateError: the client was about to write when the line was cut.
                told = grpc.aio.AioRpcError | EOFError | asyncio.InvalidStateError
                assert [end for end in ended if not isinstance(end, told)] == []
            for peer in peers:
                await peer.channel.close()


def _all_were_asked(peers: list[Peer]) -> bool:
    return all(any(message.turns for message in peer.heard) for peer in peers)


@pytest.mark.slow
async def test_a_stream_opened_again_begins_with_what_is_running_and_the_match_goes_on(
    database: str, quiet: list[Any]
) -> None:
    async with (
        opened(database, terms=PATIENT) as scene,
        good_pair(scene),
        FaultProxy(("127.0.0.1", scene.port)) as proxy,
    ):
        async with await through(proxy, scene, "returning", max_matches=1) as before:
            await before.greet()
            turn = await before.to_first_turn()
            while turn.turn_number < 2:  # so that there is something to be told again
                await before.say(answers=[before.answer(turn)])
                message = await before.hear()
                while not message.turns:
                    await before.join(message)
                    message = await before.hear()
                turn = message.turns[0]
            proxy.cut()
        async with await through(proxy, scene, "returning", max_matches=1) as after:
            await after.greet()
            message = await after.hear()
            assert message.HasField("welcome")
            # A match that is over but not yet recorded may be among them.
            resumed = {resume.offer.match_id: resume.offer for resume in message.resumes}
            assert resumed[turn.match_id] == begun_offer(before, turn.match_id)
            (again,) = message.turns
            assert (again.match_id, again.turn_number) == (turn.match_id, turn.turn_number)
            assert again.view == turn.view
            same_match = [
                e
                for m in before.heard
                for t in m.turns
                if t.match_id == turn.match_id
                for e in t.events
            ]
            assert list(again.events) == same_match
            assert same_match
            await after.react(message)
            await after.play(until=lambda: turn.match_id in after.ended)
        row = await recorded_matches.match(scene.arena.store, turn.match_id)
        assert row is not None
        assert not any(seat.forfeited or seat.faults for seat in row.seats)


def begun_offer(peer: Peer, match_id: str) -> referee_pb2.Offer:
    """The offer of a match that began, with the names of all seats."""
    offer = referee_pb2.Offer()
    offer.CopyFrom(next(o for m in peer.heard for o in m.offers if o.match_id == match_id))
    begin = next(b for m in peer.heard for b in m.begins if b.match_id == match_id)
    del offer.entrants[:]
    offer.entrants.extend(begin.entrants)
    return offer


@pytest.mark.slow
async def test_a_stream_taken_over_while_a_match_is_offered_passes_the_offer_on(
    scene: Scene,
) -> None:
    async with good_pair(scene), await scene.peer("double", max_matches=1) as older:
        await older.greet()
        offer = (await older.hear_until(lambda message: message.offers)).offers[0]
        async with await scene.peer("double", max_matches=1) as newer:
            await newer.greet()
            message = await newer.hear()
            assert [o.match_id for o in message.offers] == [offer.match_id]
            assert not message.resumes
            await newer.react(message)
            await newer.play(until=lambda: offer.match_id in newer.ended)
            assert "bot left out" not in {line["event"] for line in scene.log}


@pytest.mark.slow
async def test_a_stream_taken_over_in_the_middle_of_a_match_passes_it_on(scene: Scene) -> None:
    async with good_pair(scene), await scene.peer("double", max_matches=1) as older:
        await older.greet()
        turn = await older.to_first_turn()
        async with await scene.peer("double", max_matches=1) as newer:
            await newer.greet()
            message = await newer.hear()
            assert turn.match_id in [resume.offer.match_id for resume in message.resumes]
            assert [t.turn_number for t in message.turns] == [turn.turn_number]
            await newer.react(message)
            await newer.play(until=lambda: turn.match_id in newer.ended)
        row = await recorded_matches.match(scene.arena.store, turn.match_id)
        assert row is not None
        assert not any(seat.faults for seat in row.seats)


async def test_leaving_while_a_match_is_offered_calls_it_off_for_the_others_at_once(
    database: str,
) -> None:
    # The offer itself stands for longer than anything is waited for.
    terms = Terms(patience=Patience(join_seconds=2 * PATIENCE, grace_seconds=0.5))
    async with (
        opened(database, terms=terms) as scene,
        await scene.peer("patient", max_matches=1) as patient,
        await scene.peer("leaver", max_matches=1) as leaver,
    ):
        await patient.greet()
        await leaver.greet()
        offered = await patient.hear_until(lambda message: message.offers)
        await patient.join(offered)
        await leaver.hear_until(lambda message: message.offers)
        leaver.call.cancel()
        gone = await patient.hear_until(lambda message: message.withdrawals)
        assert gone.withdrawals[0].match_id == offered.offers[0].match_id


@pytest.mark.slow
async def test_a_bot_that_hears_nothing_any_more_harms_nobody(hasty: Scene) -> None:
    async with (
        good_pair(hasty),
        FaultProxy(("127.0.0.1", hasty.port)) as proxy,
        await through(proxy, hasty, "clogged", max_matches=64) as deaf,
    ):
        await deaf.greet()
        turn = await deaf.to_first_turn()
        proxy.held = True
        row = await hasty.recorded(turn.match_id)
        faults = [seat.faults for seat in row.seats if seat.bot == "clogged"]
        assert faults[0] > 0


@pytest.mark.slow
async def test_the_referee_stops_in_time_although_a_bot_does_not_listen(database: str) -> None:
    async with AsyncExitStack() as after:
        async with opened(database) as scene, good_pair(scene):
            proxy = await after.enter_async_context(FaultProxy(("127.0.0.1", scene.port)))
            deaf = await after.enter_async_context(await through(proxy, scene, "deaf"))
            await deaf.greet()
            await deaf.to_first_turn()
            proxy.held = True
            begun = monotonic()
        assert monotonic() - begun < PATIENCE


@pytest.mark.slow
async def test_a_line_that_stutters_loses_nothing(scene: Scene) -> None:
    async with good_pair(scene), FaultProxy(("127.0.0.1", scene.port)) as proxy:
        peer = await through(proxy, scene, "stuttering")
        async with playing([peer]) as company:
            for _ in range(6):
                await company.go_on(1)
                proxy.held = True
                await asyncio.sleep(0.05)
                proxy.held = False
            for match_id in peer.ended[:10]:
                row = await scene.recorded(match_id)
                assert not any(seat.faults for seat in row.seats)
            assert "bot left out" not in {line["event"] for line in scene.log}


@pytest.mark.slow
async def test_views_after_a_return_still_hide_what_they_hid(scene: Scene) -> None:
    async with good_pair(scene), await scene.peer("double", max_matches=1) as older:
        await older.greet()
        turn = await older.to_first_turn()
        async with await scene.peer("double", max_matches=1) as newer:
            await newer.greet()
            message = await newer.hear()
            offer = newer.offers[turn.match_id]
            view = bot_side.read_view("bluff", message.turns[0].view, offer.seat)
            assert view == bot_side.read_view("bluff", turn.view, offer.seat)
            assert len(view.hidden_dice) == view.dice_counts[offer.seat]
