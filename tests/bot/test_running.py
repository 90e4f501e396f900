"""The program around a bot: arguments, environment, exit codes."""

import asyncio
import signal
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path

import grpc
import pytest

from arena.addresses import DEFAULT_ADDRESS
from arena.bot import AnyAction, Bot, Turn, run
from arena.bot.running import read_settings
from arena.local.loading import bot_file
from tests.bot.scripted_referee import Stream, begun, offered, play_on, referee, refuse
from tests.bot_programs import bot_program, ending


class Idle(Bot):
    """Does nothing."""

    def act(self, turn: Turn) -> AnyAction:
        raise NotImplementedError


def test_without_a_token_a_sentence_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("ARENA_TOKEN", raising=False)
    with pytest.raises(SystemExit) as end:
        run(Idle, [])
    assert end.value.code == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("Set ARENA_TOKEN to the bot's token")
    assert captured.err.count("\n") == 1


def test_arguments_go_before_the_environment_and_that_before_the_defaults() -> None:
    environment = {"ARENA_ADDRESS": "there:1", "ARENA_TOKEN": " secret\n", "ARENA_INSTANCE": "b"}
    assert read_settings(Idle, [], {}).address == DEFAULT_ADDRESS
    settings = read_settings(Idle, [], environment)
    assert (settings.address, settings.token, settings.instance) == ("there:1", "secret", "b")
    settings = read_settings(Idle, ["--address", "here:2", "--strict"], environment)
    assert (settings.address, settings.strict) == ("here:2", True)
    assert not settings.challenges
    for on, accepts in (("1", True), ("0", False), ("", False)):
        assert read_settings(Idle, [], {"ARENA_CHALLENGES": on}).challenges is accepts
    assert read_settings(Idle, ["--challenges"], {}).challenges


def _process(address: str) -> AbstractContextManager["subprocess.Popen[str]"]:
    """A sample bot as anybody runs it."""
    root = str(Path(__file__).parents[2])
    command = [sys.executable, str(bot_file("honest"))]
    return bot_program(command, address, environment={"PYTHONPATH": root})


@pytest.mark.parametrize("token", ["…", "\u201carena_abc\u201d", "arena abc"])
def test_a_token_that_cannot_be_sent_is_refused_without_showing_it(
    token: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARENA_TOKEN", token)
    with pytest.raises(SystemExit) as ended:
        run(Idle, [])
    assert ended.value.code == 2
    complaint = capsys.readouterr().err
    assert "ARENA_TOKEN contains" in complaint
    assert "arena_abc" not in complaint


async def test_a_refused_token_ends_the_program_with_a_sentence() -> None:
    async with referee(refuse) as address:
        with _process(address.target) as process:
            code, errors = await ending(process)
    assert (code, errors) == (2, "The referee refused the token: The token was retired.\n")


_REFUSED_OFTEN = """
import threading
from arena.bot import Bot, run

class Idle(Bot):
    def act(self, turn): ...

for _ in range(10):
    try:
        run(Idle, [])
    except SystemExit:
        assert threading.active_count() == 1, threading.enumerate()
"""


async def test_no_thread_is_left_for_the_interpreters_end_to_cut_off() -> None:
    async with referee(refuse) as address:
        with bot_program([sys.executable, "-c", _REFUSED_OFTEN], address.target) as process:
            code, errors = await ending(process)
    assert (code, errors.count("refused the token")) == (0, 10), errors


async def test_control_c_ends_quietly() -> None:
    welcomed = asyncio.Event()

    async def script(stream: Stream) -> None:
        await stream.welcome()
        welcomed.set()
        assert (await stream.hear()).HasField("drain")

    async with referee(script) as address:
        with _process(address.target) as process:
            await asyncio.wait_for(welcomed.wait(), 20)
            # The welcome must have arrived, or Python is not ready for the signal.
            await asyncio.to_thread(process.stderr.readline)  # type: ignore[union-attr]
            process.send_signal(signal.SIGINT)
            code, errors = await ending(process)
    assert code == 0
    assert "Stopped. Matches finished: 0, won: 0." in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_bot_asked_to_stop_says_so_and_plays_on_until_the_referee_lets_it_go(
    number: signal.Signals,
) -> None:
    joined = asyncio.Event()
    played: list[str] = []

    async def play(stream: Stream, match_id: str, *, drain: bool) -> None:
        conductor = await begun(stream, match_id)
        if drain:
            joined.set()
            assert (await stream.hear()).HasField("drain")
        await play_on(stream, conductor)
        await stream.say(ends=[conductor.end()])
        played.append(match_id)

    async def script(stream: Stream) -> None:
        await stream.welcome()
        # The second one belongs to the block of the first.
        await play(stream, "m1", drain=True)
        await play(stream, "m2", drain=False)

    async with referee(script) as address:
        with _process(address.target) as process:
            await asyncio.wait_for(joined.wait(), 20)
            process.send_signal(number)
            code, errors = await ending(process)
    assert code == 0
    assert "1 matches run or wait" in errors
    assert "Stopped. Matches finished: 2" in errors
    assert played == ["m1", "m2"]


async def test_at_an_older_referee_a_bot_asked_to_stop_finishes_its_match_and_joins_no_other() -> (
    None
):
    joined, asked = asyncio.Event(), asyncio.Event()
    farewell: list[tuple[list[str], bool]] = []

    async def script(stream: Stream) -> None:
        await stream.welcome(knows_drain=False)
        conductor = await begun(stream, "m1")
        joined.set()
        await asked.wait()
        await stream.say(offers=[offered("m2")[1]])
        answer = await stream.hear()
        assert [decline.match_id for decline in answer.declines] == ["m2"]
        assert not answer.joins
        await play_on(stream, conductor)
        await stream.say(ends=[conductor.end()], offers=[offered("m3")[1]])
        said = [
            decline.match_id async for request in stream.requests for decline in request.declines
        ]
        farewell.append((said, stream.context.cancelled()))

    async with referee(script) as address:
        with _process(address.target) as process:
            await asyncio.wait_for(joined.wait(), 20)
            process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            while "1 matches run or wait" not in await asyncio.to_thread(process.stderr.readline):
                assert process.poll() is None
            asked.set()
            code, errors = await ending(process)
    assert code == 0
    assert "Stopped. Matches finished: 1" in errors
    assert farewell == [(["m3"], False)]  # it declined, and closed its side in order


async def test_at_an_older_referee_a_bot_that_plays_nothing_leaves_at_once() -> None:
    welcomed = asyncio.Event()

    async def script(stream: Stream) -> None:
        await stream.welcome(knows_drain=False)
        welcomed.set()
        async for _ in stream.requests:
            pass

    async with referee(script) as address:
        with _process(address.target) as process:
            await asyncio.wait_for(welcomed.wait(), 20)
            await asyncio.to_thread(process.stderr.readline)  # type: ignore[union-attr]
            process.send_signal(signal.SIGINT)
            code, errors = await ending(process)
    assert (code, "Stopped. Matches finished: 0, won: 0." in errors) == (0, True)


async def test_a_bot_asked_twice_leaves_at_once() -> None:
    joined = asyncio.Event()

    async def script(stream: Stream) -> None:
        await stream.welcome()
        await stream.say(offers=[offered()[1]])
        await stream.hear()
        joined.set()
        async for _ in stream.requests:
            pass

    async with referee(script) as address:
        with _process(address.target) as process:
            await asyncio.wait_for(joined.wait(), 20)
            process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            while "1 matches run or wait" not in await asyncio.to_thread(process.stderr.readline):
                assert process.poll() is None
            process.send_signal(signal.SIGINT)
            code, errors = await ending(process)
    assert code == 0
    assert "Stopped. Matches finished: 0" in errors


async def test_a_program_whose_newer_copy_took_over_ends_without_complaint() -> None:
    async def script(stream: Stream) -> None:
        await stream.context.abort(grpc.StatusCode.ABORTED, "a newer stream took over")

    async with referee(script) as address:
        with _process(address.target) as process:
            code, errors = await ending(process)
    assert code == 0
    assert "a newer stream took over." in errors


def test_playing_in_process_loads_no_grpc() -> None:
    program = "import sys, arena.local.in_process; sys.exit('grpc' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
