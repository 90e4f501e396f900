"""Bots that answer late, wrong or too much do not affect others."""

import asyncio
from contextlib import suppress

import grpc
import pytest

from arena.v1 import bloeff_pb2, bluff_pb2, game_pb2, transcript_pb2
from arena.v1 import referee_pb2 as pb
from tests import recorded_matches
from tests.bots import Peer
from tests.scene import Scene, good_pair


@pytest.mark.slow
async def test_a_bot_too_slow_is_told_so_each_time_and_the_match_goes_on(hasty: Scene) -> None:
    async with good_pair(hasty), await hasty.peer("slow", max_matches=1) as slow:
        await slow.greet()
        await slow.to_first_turn()
        end = (await slow.hear_until(lambda message: message.ends)).ends[0]
        refusals = [refusal for message in slow.heard for refusal in message.refusals]
        assert {refusal.kind for refusal in refusals} == {transcript_pb2.FAULT_KIND_LATE}
        assert [refusal.faults for refusal in refusals] == list(range(1, len(refusals) + 1))
        late = [step for step in end.transcript.steps if step.fault]
        assert len(late) == len(refusals) >= 1


@pytest.mark.slow
async def test_an_answer_that_comes_too_late_changes_nothing(hasty: Scene) -> None:
    async with good_pair(hasty), await hasty.peer("slow", max_matches=1) as slow:
        await slow.greet()
        turn = await slow.to_first_turn()
        await slow.hear_until(lambda message: message.refusals)
        await slow.say(answers=[slow.answer(turn)])
        await slow.say(answers=[slow.answer(turn)] * 3)
        end = (await slow.hear_until(lambda message: message.ends)).ends[0]
        late = [step for step in end.transcript.steps if step.fault]
        assert {step.fault for step in late} == {transcript_pb2.FAULT_KIND_LATE}


def bet(quantity: int, face: int) -> game_pb2.Action:
    return game_pb2.Action(
        bluff=bluff_pb2.BluffAction(
            bet=bluff_pb2.BluffBet(quantity=quantity, face=face)  # type: ignore[arg-type]
        )
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("action", "kind"),
    [
        (bet(99, 6), transcript_pb2.FAULT_KIND_ILLEGAL),
        (bet(-1, 1), transcript_pb2.FAULT_KIND_ILLEGAL),
        (bet(1, 9), transcript_pb2.FAULT_KIND_MALFORMED),
        (bet(1, 0), transcript_pb2.FAULT_KIND_MALFORMED),
        (game_pb2.Action(), transcript_pb2.FAULT_KIND_MALFORMED),
        (
            game_pb2.Action(bluff=bluff_pb2.BluffAction()),
            transcript_pb2.FAULT_KIND_MALFORMED,
        ),
        (
            game_pb2.Action(bloeff=bloeff_pb2.BloeffAction()),
            transcript_pb2.FAULT_KIND_MALFORMED,
        ),
    ],
    ids=["too many", "negative", "no such face", "no face", "nothing", "no bet", "another game"],
)
async def test_a_wrong_answer_is_refused_with_what_would_have_been_legal(
    scene: Scene, action: game_pb2.Action, kind: transcript_pb2.FaultKind
) -> None:
    async with good_pair(scene), await scene.peer("wrong", max_matches=1) as wrong:
        await wrong.greet()
        turn = await wrong.to_first_turn()
        answer = pb.Answer(match_id=turn.match_id, turn_number=turn.turn_number, action=action)
        await wrong.say(answers=[answer])
        (refusal,) = (await wrong.hear_until(lambda message: message.refusals)).refusals
        assert (refusal.match_id, refusal.turn_number) == (turn.match_id, turn.turn_number)
        assert (refusal.kind, refusal.faults) == (kind, 1)
        assert refusal.reason
        assert refusal.legal
        assert refusal.played.WhichOneof("game") == "bluff"


@pytest.mark.slow
async def test_three_wrong_answers_forfeit_and_the_stream_lives_on(scene: Scene) -> None:
    async with good_pair(scene), await scene.peer("wrong", max_matches=1) as wrong:
        await wrong.greet()
        await wrong.to_first_turn()
        counts: list[int] = []
        while not wrong.ended:
            message = wrong.heard[-1]
            for turn in message.turns:
                await wrong.say(
                    answers=[
                        pb.Answer(
                            match_id=turn.match_id, turn_number=turn.turn_number, action=bet(99, 6)
                        )
                    ]
                )
            counts += [refusal.faults for refusal in (await wrong.hear()).refusals]
        assert counts == list(range(1, len(counts) + 1))
        assert await scene.faults("wrong") == len(counts)
        assert not wrong.call.done()


@pytest.mark.slow
async def test_repeating_every_answer_is_harmless(scene: Scene) -> None:
    async with good_pair(scene), await scene.peer("stutterer", max_matches=1) as peer:
        await peer.greet()
        while len(peer.ended) < 3:
            message = await peer.hear()
            await peer.join(message)
            await peer.join(message)
            if message.turns:
                await peer.say(answers=[peer.answer(turn) for turn in message.turns] * 3)
        assert await scene.faults("stutterer") == 0


async def flood(babbler: Peer, request: pb.PlayRequest) -> None:
    """Say the same thing again and again, until nobody listens."""
    with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
        for _ in range(1_100):
            await babbler.call.write(request)


def refused(scene: Scene) -> str:
    """How the stream ended, from the referee's side: a client of grpc.aio that is writing when its
    stream is ended may see INTERNAL instead."""
    (line,) = [line for line in scene.log if line["event"] == "stream refused"]
    return str(line["code"])


@pytest.mark.slow
async def test_a_flood_of_answers_to_nothing_ends_the_stream_and_harms_nobody(
    scene: Scene,
) -> None:
    stray = pb.Answer(match_id="nothing", turn_number=1)
    async with good_pair(scene), await scene.peer("babbler") as babbler:
        await babbler.greet()
        await flood(babbler, pb.PlayRequest(answers=[stray] * 50))
        await babbler.status()
    assert refused(scene) == "RESOURCE_EXHAUSTED"


@pytest.mark.slow
@pytest.mark.parametrize("what", ["empty", "joins", "declines", "the same join"])
async def test_any_other_flood_ends_the_stream_too(scene: Scene, what: str) -> None:
    async with good_pair(scene), await scene.peer("babbler") as babbler:
        await babbler.greet()
        offer = (await babbler.hear_until(lambda message: message.offers)).offers[0]
        entropy = b"0123456789abcdef"
        request = {
            "empty": pb.PlayRequest(),
            "joins": pb.PlayRequest(joins=[pb.Join(match_id="nothing", entropy=entropy)] * 50),
            "declines": pb.PlayRequest(declines=[pb.Decline(match_id="nothing")] * 50),
            "the same join": pb.PlayRequest(
                joins=[pb.Join(match_id=offer.match_id, entropy=entropy)] * 50
            ),
        }[what]
        await flood(babbler, request)
        await babbler.status()
    assert refused(scene) == "RESOURCE_EXHAUSTED"


@pytest.mark.slow
async def test_nobody_answers_for_another_bot(scene: Scene) -> None:
    async with (
        good_pair(scene),
        await scene.peer("victim", max_matches=1) as victim,
        await scene.peer("impostor", max_matches=1) as impostor,
    ):
        await victim.greet()
        turn = await victim.to_first_turn()
        await impostor.greet()
        theirs = pb.Answer(match_id=turn.match_id, turn_number=turn.turn_number, action=bet(99, 6))
        for _ in range(10):
            await impostor.say(
                answers=[theirs],
                joins=[pb.Join(match_id=turn.match_id, entropy=b"x" * 16)],
                declines=[pb.Decline(match_id=turn.match_id)],
            )
        await victim.say(answers=[victim.answer(turn)])
        match_id = turn.match_id
        async with asyncio.TaskGroup() as tasks:
            playing = tasks.create_task(impostor.play())  # it may be the victim's opponent
            await victim.play(until=lambda: match_id in victim.ended)
            playing.cancel()
        assert not any(message.refusals for message in victim.heard)
        row = await recorded_matches.match(scene.arena.store, match_id)
        assert row is not None
        assert sum(seat.faults for seat in row.seats if seat.bot == "victim") == 0


async def test_who_declines_plays_no_match(scene: Scene) -> None:
    async with good_pair(scene), await scene.peer("shy") as shy:
        await shy.greet()
        offer = (await shy.hear_until(lambda message: message.offers)).offers[0]
        await shy.say(declines=[pb.Decline(match_id=offer.match_id)])
        gone = await shy.hear_until(lambda message: message.withdrawals)
        assert gone.withdrawals[0].match_id == offer.match_id
        assert gone.withdrawals[0].reason
    assert await scene.results("shy") == []


@pytest.mark.slow
async def test_who_does_not_join_in_time_plays_no_match(hasty: Scene) -> None:
    async with good_pair(hasty), await hasty.peer("sleepy") as sleepy:
        await sleepy.greet()
        offer = (await sleepy.hear_until(lambda message: message.offers)).offers[0]
        assert offer.join_ms == 1_000
        gone = await sleepy.hear_until(lambda message: message.withdrawals)
        assert gone.withdrawals[0].match_id == offer.match_id
        await sleepy.say(joins=[pb.Join(match_id=offer.match_id, entropy=b"0" * 16)])
    assert await hasty.results("sleepy") == []
