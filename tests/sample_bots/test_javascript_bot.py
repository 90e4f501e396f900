"""The JavaScript bot: proof that the protocol is enough, without any of our code at its end."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

from arena.assembly import running_arena
from arena.bot.address import Address
from arena.bot.connection import keep_playing
from arena.bot.conversation import Conversation
from arena.games import make_game
from arena.home.loading import load_bot
from arena.scheduling.ladder import TableType
from arena.v1 import referee_pb2 as pb
from tests.bot.scripted_referee import Conductor, Stream, conduct, offered, referee, refuse
from tests.certificates import NAME, Authority

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parents[2] / "sample_bots" / "javascript"


@pytest.fixture(scope="module")
def installed() -> None:
    """The bot's dependencies, from its lock file."""
    if not (shutil.which("node") and shutil.which("npm")):
        if "CI" in os.environ:
            pytest.fail("node and npm are required in CI")
        pytest.skip("node or npm is missing")
    if not (FOLDER / "node_modules" / ".package-lock.json").exists():
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=FOLDER, check=True)


@contextmanager
def _bot(address: str, token: str = "secret", **settings: str) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        ["node", "bot.js"],
        cwd=FOLDER,
        env=os.environ | {"ARENA_ADDRESS": address, "ARENA_TOKEN": token} | settings,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


class StoppedError(Exception):
    """The referee is gone, and the test over."""


def _stop_playing(seconds: float) -> None:
    raise StoppedError


async def _ending(process: "subprocess.Popen[str]") -> tuple[int, str]:
    _, errors = await asyncio.to_thread(process.communicate, None, 20)
    return process.returncode, errors


@pytest.mark.usefixtures("installed")
async def test_it_plays_a_match_and_leaves_when_its_token_is_refused() -> None:
    async def script(stream: Stream) -> None:
        hello = await stream.welcome()
        assert (hello.protocol_version, list(hello.games)) == (1, ["bluff"])
        assert dict(stream.context.invocation_metadata())["authorization"] == "Bearer secret"
        conductor = await conduct(stream)
        assert conductor.record is not None
        assert conductor.record.result.faults == (0, 0)
        await stream.say(ends=[conductor.end()])

    async with referee(script, refuse) as address:
        with _bot(address.target) as process:
            code, errors = await _ending(process)
    assert code == 2
    assert "The referee ended it: The token was retired." in errors
    assert "NOT DEALT" not in errors


@pytest.mark.usefixtures("installed")
async def test_it_resumes_after_a_loss_and_notices_a_match_dealt_otherwise() -> None:
    async def lose(stream: Stream) -> None:
        await stream.welcome(offers=[offered()[1]])
        await stream.hear()
        await stream.context.abort(grpc.StatusCode.UNAVAILABLE, "stopping")

    async def resume(stream: Stream) -> None:
        conductor = Conductor(offered()[0], b"not what it sent")
        await stream.welcome(
            resumes=[pb.Resume(offer=offered()[1])], turns=[conductor.turn(repeat=True)]
        )
        while conductor.record is None:
            conductor.answer((await stream.hear()).answers[0])
            if conductor.record is None:
                await stream.say(turns=[conductor.turn()])
        assert conductor.record.result.faults == (0, 0)
        await stream.say(ends=[conductor.end()])

    async with referee(lose, resume, refuse) as address:
        with _bot(address.target) as process:
            _, errors = await _ending(process)
    assert "Not connected" in errors
    assert "MATCH m1 WAS NOT DEALT AS PROMISED" in errors


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("encrypted", [False, True], ids=["plain", "TLS"])
async def test_it_plays_rated_matches_without_a_fault(
    database: str, encrypted: bool, tmp_path: Path
) -> None:
    served = Authority(tmp_path).issue(NAME)
    tls = served.files if encrypted else None
    trust = {"ARENA_CA": str(served.cert.parent / "authority.pem"), "ARENA_SERVER_NAME": NAME}
    ladder = TableType("bluff", make_game("bluff").options, 2)
    recorded = asyncio.Event()
    async with running_arena(database, "127.0.0.1", 0, [ladder], "key", tls=tls) as arena:
        arena.when_recorded(20, recorded.set)
        _, token = await arena.store.register("javascript", "others")
        _, honest_token = await arena.store.register("honest", "us")
        address = f"{'https' if encrypted else 'http'}://127.0.0.1:{arena.port}"
        conversation = Conversation(load_bot("honest"))
        opponent = asyncio.create_task(
            asyncio.to_thread(
                keep_playing,
                conversation,
                Address.parse(address, trust),
                honest_token,
                _stop_playing,
            )
        )
        with _bot(address, token, **trust):
            async with asyncio.timeout(30):
                await recorded.wait()
            await arena.wind_down()
        matches = [
            transcript
            for row in await arena.store.matches(limit=100)
            if (transcript := await arena.store.transcript(row.match_id))
        ]
    with pytest.raises(StoppedError):
        await opponent
    assert len(matches) >= 20
    assert all(match.result.faults == (0, 0) for match in matches)
    assert conversation.tally.finished >= 20
    assert conversation.tally.failed_checks == 0
