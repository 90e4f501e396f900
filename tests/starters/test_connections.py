"""What every starter does with its stream: a scripted referee plays against each."""

import asyncio
import re
import time

import grpc
import pytest

from arena.v1 import referee_pb2 as pb
from tests.bot.scripted_referee import (
    Conductor,
    Stream,
    begun,
    conduct,
    offered,
    play_on,
    referee,
    refuse,
)
from tests.bot_programs import bot_program, ending
from tests.starters.languages import Language

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


async def test_it_plays_a_match_and_ends_when_its_token_is_refused(language: Language) -> None:
    async def script(stream: Stream) -> None:
        hello = await stream.welcome()
        assert hello.protocol_version == 1
        assert set(hello.games) == {"bluff", "bluff_you", "bloeff"}
        assert dict(stream.context.invocation_metadata())["authorization"] == "Bearer secret"
        conductor = await conduct(stream)
        assert conductor.record is not None
        assert conductor.record.result.faults == (0, 0)
        await stream.say(ends=[conductor.end()])

    async with referee(script, refuse) as address:
        with language.playing(address.target) as process:
            code, errors = await ending(process)
    assert code == 2
    assert "The token was retired." in errors
    assert "verification failed" not in errors


async def test_it_asks_no_proxy_for_a_referee_of_this_machine(language: Language) -> None:
    nobody = "http://127.0.0.1:1"
    names = ("http_proxy", "https_proxy", "grpc_proxy", "all_proxy")
    proxies = {name: nobody for one in names for name in (one, one.upper())}
    # What Java reads.
    proxies |= {"GRPC_PROXY_EXP": "127.0.0.1:1", "no_proxy": "", "NO_PROXY": ""}
    async with referee(refuse) as address:
        with bot_program(
            language.run, address.target, cwd=language.folder, environment=proxies
        ) as process:
            code, errors = await ending(process)
    assert code == 2
    assert "The token was retired." in errors


async def test_it_resumes_after_a_loss_and_notices_a_match_dealt_otherwise(
    language: Language,
) -> None:
    async def lose(stream: Stream) -> None:
        await stream.welcome(offers=[offered()[1]])
        await stream.hear()
        await stream.context.abort(grpc.StatusCode.UNAVAILABLE, "stopping")

    async def resume(stream: Stream) -> None:
        conductor = Conductor(offered()[0], b"not what it sent")
        await stream.welcome(
            resumes=[pb.Resume(offer=offered()[1])], turns=[conductor.turn(repeat=True)]
        )
        await play_on(stream, conductor, asked=True)
        assert conductor.record.result.faults == (0, 0)
        await stream.say(ends=[conductor.end()])

    async with referee(lose, resume, refuse) as address:
        with language.playing(address.target) as process:
            _, errors = await ending(process)
    assert "Not connected" in errors
    assert "Match m1: verification failed" in errors


async def test_it_goes_on_at_another_referee_that_it_was_told_of_when_its_own_is_gone(
    language: Language,
) -> None:
    gone = asyncio.Event()
    entropy = b""

    async def go_on(stream: Stream) -> None:
        await gone.wait()
        conductor = Conductor(offered()[0], entropy)
        await stream.welcome(
            resumes=[pb.Resume(offer=offered()[1])], turns=[conductor.turn(repeat=True)]
        )
        await play_on(stream, conductor, asked=True)
        assert conductor.record.result.faults == (0, 0)
        await stream.say(ends=[conductor.end()])

    async with referee(go_on, refuse) as other:

        async def tell(stream: Stream) -> None:
            nonlocal entropy
            nobody = "127.0.0.1:1"
            await stream.welcome(offers=[offered()[1]])
            entropy = (await stream.hear()).joins[0].entropy
            await stream.say(referees=pb.Referees(addresses=[nobody, other.target]))
            gone.set()
            await stream.context.abort(grpc.StatusCode.UNAVAILABLE, "stopping")

        async with referee(tell) as first:
            with language.playing(first.target) as process:
                code, errors = await ending(process)
    assert code == 2
    assert "The token was retired." in errors
    assert f"Not connected to {first.target}" in errors
    assert "verification failed" not in errors


async def test_each_comes_back_later_each_time_unless_a_stream_lasted_and_when_it_is_asked_to(
    languages: list[Language],
) -> None:
    async with asyncio.TaskGroup() as side_by_side:  # they wait nearly all of the time
        for language in languages:
            side_by_side.create_task(require_pauses(language))


async def require_pauses(language: Language) -> None:
    """Require that a starter waits as a referee wants before it comes back."""
    sent_away_at = came_back_at = 0.0

    async def end_at_once(stream: Stream) -> None:
        await stream.welcome()

    async def last(stream: Stream) -> None:
        await stream.welcome()
        await asyncio.sleep(5.1)

    async def send_away(stream: Stream) -> None:
        nonlocal sent_away_at
        sent_away_at = time.monotonic()
        status, metadata = grpc.StatusCode.RESOURCE_EXHAUSTED, (("retry-after", "2"),)
        await stream.context.abort(status, "too many streams", metadata)

    async def come_back(stream: Stream) -> None:
        nonlocal came_back_at
        came_back_at = time.monotonic()
        await refuse(stream)

    async with referee(*[end_at_once] * 5, last, send_away, come_back) as address:
        with language.playing(address.target) as process:
            _, errors = await ending(process)
    pauses = [float(seconds) for seconds in re.findall(r"again in ([\d.]+) s", errors)]
    assert pauses[5] <= 0.5 < pauses[4], errors
    assert pauses[6] == 2
    assert came_back_at - sent_away_at >= 2


async def test_it_notices_a_draw_that_does_not_follow_from_the_opening(language: Language) -> None:
    async def script(stream: Stream) -> None:
        await stream.welcome()
        end = (await conduct(stream)).end()
        roll = next(step.draw.bluff.roll for step in end.transcript.steps if step.HasField("draw"))
        faces = roll.dice[1].faces
        faces[0] = faces[0] % 6 + 1
        await stream.say(ends=[end])

    async with referee(script, refuse) as address:
        with language.playing(address.target) as process:
            _, errors = await ending(process)
    assert "Match m1: verification failed" in errors


async def test_it_ignores_fields_it_does_not_know_and_logs_refusals(language: Language) -> None:
    unknown = pb.PlayResponse()
    unknown.MergeFromString(b"\xfa\x3f\x03new")  # field 1023, bytes

    async def script(stream: Stream) -> None:
        await stream.welcome()
        await stream.context.write(unknown)
        conductor = await begun(stream)
        await stream.say(turns=[conductor.turn()])
        answer = (await stream.hear()).answers[0]
        assert answer.action.WhichOneof("game") == "bluff"
        refusal = pb.Refusal(
            match_id="m1", turn_number=1, reason="Too late.", legal="Bet.", faults=1
        )
        await stream.say(refusals=[refusal])

    async with referee(script, refuse) as address:
        with language.playing(address.target) as process:
            _, errors = await ending(process)
    assert "Fault 1 in match m1, turn 1: Too late. Bet." in errors


async def test_a_program_that_was_restarted_checks_the_dealing_with_the_entropy_it_is_told(
    language: Language,
) -> None:
    async def resume(stream: Stream) -> None:
        conductor = Conductor(offered()[0], b"not what is told")
        resumed = pb.Resume(offer=offered()[1], entropy=b"what it had sent")
        await stream.welcome(resumes=[resumed], turns=[conductor.turn(repeat=True)])
        await play_on(stream, conductor, asked=True)
        await stream.say(ends=[conductor.end()])

    async with referee(resume, refuse) as address:
        with language.playing(address.target) as process:
            _, errors = await ending(process)
    assert "Match m1: verification failed" in errors
