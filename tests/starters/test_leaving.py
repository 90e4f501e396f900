"""How every starter leaves: a scripted referee plays against each."""

import asyncio
import signal

import grpc
import pytest

from arena.v1 import referee_pb2 as pb
from tests.bot.scripted_referee import Conductor, Stream, begun, offered, play_on, referee, refuse
from tests.bot_programs import ending
from tests.starters.languages import Language

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


async def test_it_leaves_an_older_referee_by_finishing_its_match_and_closing_the_stream(
    language: Language,
) -> None:
    closed = asyncio.Event()
    joined, interrupted = asyncio.Event(), asyncio.Event()

    async def script(stream: Stream) -> None:
        setup, offer = offered()
        await stream.welcome(knows_drain=False, offers=[offer])
        conductor = Conductor(setup, (await stream.hear()).joins[0].entropy)
        joined.set()
        await interrupted.wait()
        await play_on(stream, conductor)
        await stream.say(ends=[conductor.end()])
        with pytest.raises(StopAsyncIteration):
            await stream.hear()
        closed.set()

    async with referee(script, refuse) as address:
        with language.playing(address.target) as process:
            async with asyncio.timeout(20):
                await joined.wait()
            process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            while "Finishing 1 match" not in await asyncio.to_thread(process.stderr.readline):
                assert process.poll() is None
            interrupted.set()
            code, errors = await ending(process)
    assert code == 0
    assert closed.is_set(), errors


async def test_it_asks_a_referee_that_knows_drain_and_joins_the_rest_of_its_block(
    language: Language,
) -> None:
    joined, drained = asyncio.Event(), asyncio.Event()

    async def script(stream: Stream) -> None:
        await stream.welcome(offers=[offered()[1]])
        await stream.hear()
        joined.set()
        assert (await stream.hear()).HasField("drain")
        await stream.say(withdrawals=[pb.Withdrawal(match_id="m1", reason="Nobody came.")])
        conductor = await begun(stream, "m2")
        await play_on(stream, conductor)
        await stream.say(ends=[conductor.end()])
        drained.set()

    async with referee(script, refuse) as address:
        with language.playing(address.target) as process:
            async with asyncio.timeout(20):
                await joined.wait()
            process.send_signal(signal.SIGINT)
            code, errors = await ending(process)
    assert drained.is_set(), errors
    assert (code, "verification failed" in errors) == (0, False)


async def test_it_comes_back_to_its_match_when_the_stream_is_lost_while_it_leaves(
    language: Language,
) -> None:
    joined, played = asyncio.Event(), asyncio.Event()
    entropy = b""

    async def lose(stream: Stream) -> None:
        nonlocal entropy
        await stream.welcome(offers=[offered()[1]])
        entropy = (await stream.hear()).joins[0].entropy
        joined.set()
        assert (await stream.hear()).HasField("drain")
        await stream.context.abort(grpc.StatusCode.UNAVAILABLE, "stopping")

    async def resume(stream: Stream) -> None:
        conductor = Conductor(offered()[0], entropy)
        await stream.welcome(
            resumes=[pb.Resume(offer=offered()[1])], turns=[conductor.turn(repeat=True)]
        )
        message = await stream.hear()
        assert message.HasField("drain")
        conductor.answer(message.answers[0])
        await play_on(stream, conductor)
        await stream.say(ends=[conductor.end()])
        played.set()

    async with referee(lose, resume) as address:
        with language.playing(address.target) as process:
            async with asyncio.timeout(20):
                await joined.wait()
            process.send_signal(signal.SIGTERM)
            code, errors = await ending(process)
    assert played.is_set(), errors
    assert (code, "verification failed" in errors) == (0, False)


async def test_it_checks_the_matches_that_end_with_the_stream_before_it_stops(
    language: Language,
) -> None:
    joined = asyncio.Event()
    names = ("m1", "m2")

    async def script(stream: Stream) -> None:
        await stream.welcome(offers=[offered(name)[1] for name in names])
        joins = {join.match_id: join.entropy for join in (await stream.hear()).joins}
        joined.set()
        assert (await stream.hear()).HasField("drain")
        conductors = [Conductor(offered(name)[0], joins[name]) for name in names]
        for conductor in conductors:
            await play_on(stream, conductor)
        ends = [conductor.end() for conductor in conductors]
        ends[1].transcript.entropies[0] = b"not what it sent"
        for end in ends:  # while it checks the first, the second comes and the stream ends
            await stream.say(ends=[end])

    async with referee(script) as address:
        with language.playing(address.target) as process:
            async with asyncio.timeout(20):
                await joined.wait()
            process.send_signal(signal.SIGTERM)
            code, errors = await ending(process)
    assert code == 0
    assert "Match m2: verification failed" in errors
