"""How every starter leaves: a scripted referee plays against each."""

import asyncio
import signal
import socket
import subprocess
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack

import grpc
import pytest

from arena.v1 import referee_pb2 as pb
from tests.bot.scripted_referee import Conductor, Stream, begun, offered, play_on, referee, refuse
from tests.bot_programs import ending
from tests.starters.languages import Language

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

GIVES_UP_S = 20
"""The time after the loss of a stream for which a leaving starter waits for a referee."""
SOONER_S, LATER_S = 3, 8
"""How much sooner and later its end may be seen here, where the loss is seen after it."""


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
            await heard(process, "Finishing 1 match")
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
        assert (await stream.welcome(offers=[offered()[1]])).max_matches > 0
        entropy = (await stream.hear()).joins[0].entropy
        joined.set()
        assert (await stream.hear()).HasField("drain")
        await stream.context.abort(grpc.StatusCode.UNAVAILABLE, "stopping")

    async def resume(stream: Stream) -> None:
        conductor = Conductor(offered()[0], entropy)
        hello = await stream.welcome(
            resumes=[pb.Resume(offer=offered()[1])], turns=[conductor.turn(repeat=True)]
        )
        assert hello.max_matches == -1  # no places, so that no block begins before `drain`
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


async def test_it_gives_up_when_its_referee_is_gone_while_it_leaves(
    languages: list[Language],
) -> None:
    await require_giving_up(languages, Stream.until_left)


async def test_it_gives_up_although_its_next_try_is_due_later_while_it_leaves(
    languages: list[Language],
) -> None:
    await require_giving_up(languages, send_away)


async def test_it_gives_up_although_another_referee_hangs_while_it_leaves(
    languages: list[Language],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:

        async def tell(stream: Stream) -> None:
            await stream.say(referees=pb.Referees(addresses=[f"127.0.0.1:{port_of(silent)}"]))
            await stream.context.abort(grpc.StatusCode.UNAVAILABLE, "stopping")

        await require_giving_up(languages, tell)


async def require_giving_up(
    languages: list[Language], lose: Callable[[Stream], Awaitable[None]]
) -> None:
    """Require that starters whose referee is gone after `lose` end in time."""
    async with asyncio.TaskGroup() as side_by_side:  # they wait nearly all of the time
        for language in languages:
            side_by_side.create_task(require_one_giving_up(language, lose))


async def require_one_giving_up(
    language: Language, lose: Callable[[Stream], Awaitable[None]]
) -> None:
    """Require that one starter ends in time."""
    joined, drained = asyncio.Event(), asyncio.Event()

    async def script(stream: Stream) -> None:
        await stream.welcome(offers=[offered()[1]])
        await stream.hear()
        joined.set()
        assert (await stream.hear()).HasField("drain")
        drained.set()
        await lose(stream)

    with ExitStack() as stack:
        async with referee(script) as address:
            process = stack.enter_context(language.playing(address.target))
            async with asyncio.timeout(20):
                await joined.wait()
                process.send_signal(signal.SIGTERM)
                await drained.wait()
            await heard(process, "Finishing 1 match")
        gone_at = time.monotonic()
        code, errors = await ending(process)
    took = time.monotonic() - gone_at
    assert (code, errors.endswith("Stopped.\n")) == (0, True), (language.name, errors)
    assert GIVES_UP_S - SOONER_S <= took <= GIVES_UP_S + LATER_S, (language.name, errors)


async def test_asked_to_leave_while_it_connects_for_the_first_time_it_ends(
    language: Language,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.setblocking(False)
        with language.playing(f"127.0.0.1:{port_of(silent)}") as process:
            async with asyncio.timeout(20):
                connection, _ = await asyncio.get_running_loop().sock_accept(silent)
            with connection:
                process.send_signal(signal.SIGTERM)
                code, errors = await ending(process, 8)
    assert (code, errors.endswith("Stopped.\n")) == (0, True), errors


async def test_asked_to_leave_without_a_stream_it_ends_at_once(language: Language) -> None:
    async with referee(send_away) as address:
        with language.playing(address.target) as process:
            await heard(process, "Not connected")
            process.send_signal(signal.SIGTERM)
            code, errors = await ending(process, 8)
    assert (code, errors.endswith("Stopped.\n")) == (0, True), errors


@pytest.mark.parametrize("loses", [False, True], ids=["with its stream", "without a stream"])
async def test_asked_twice_to_leave_it_ends_at_once_with_a_code_of_its_own(
    language: Language, loses: bool
) -> None:
    joined, drained = asyncio.Event(), asyncio.Event()

    async def script(stream: Stream) -> None:
        await stream.welcome(offers=[offered()[1]])
        await stream.hear()
        joined.set()
        assert (await stream.hear()).HasField("drain")
        drained.set()
        await (send_away if loses else Stream.until_left)(stream)

    async with referee(script) as address:
        with language.playing(address.target) as process:
            async with asyncio.timeout(20):
                await joined.wait()
                process.send_signal(signal.SIGTERM)
                await drained.wait()
            await heard(process, "Finishing 1 match")
            if loses:
                await heard(process, "Not connected")
            process.send_signal(signal.SIGTERM)
            code, errors = await ending(process, 8)
    assert (code, errors.endswith("Stopped.\n")) == (130, True), errors


async def send_away(stream: Stream) -> None:
    """End a stream so that the bot comes back much later."""
    metadata = (("retry-after", "90"),)
    await stream.context.abort(grpc.StatusCode.UNAVAILABLE, "stopping", metadata)


async def heard(process: "subprocess.Popen[str]", said: str) -> None:
    """Wait until the program says something."""
    assert process.stderr is not None
    while said not in await asyncio.to_thread(process.stderr.readline):
        assert process.poll() is None


def port_of(listener: socket.socket) -> int:
    """Where others connect to it."""
    port: int = listener.getsockname()[1]
    return port
