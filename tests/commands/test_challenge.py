"""`arena challenge` against a running referee."""

import asyncio
import json
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from arena.bot.challenging import ChallengePlayed
from arena.commands.challenge import _print_summary
from arena.commands.owners.logins import Login, keep_login
from arena.match.transcript import Entrant
from arena.server.play.terms import Patience, Terms
from arena.v1 import referee_pb2
from tests.bots import PATIENCE, Peer
from tests.commands.running import beside
from tests.free_port import free_port
from tests.scene import Company, Scene, opened, playing

arena = partial(beside, "challenge")


@pytest.fixture
async def scene(database: str) -> AsyncIterator[Scene]:
    async with opened(database) as scene:
        yield scene


@pytest.fixture
async def company(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Company]:
    """The bots "me", whose token is set, "you" and "she", which accept challenges."""
    accept = referee_pb2.CHALLENGE_POLICY_ACCEPT
    monkeypatch.setenv("ARENA_TOKEN", await scene.token("me"))
    monkeypatch.setenv("ARENA_ADDRESS", f"127.0.0.1:{scene.port}")
    peers = [await scene.peer("me", challenges=referee_pb2.CHALLENGE_POLICY_OWN_ONLY)]
    peers += [await scene.peer(bot, challenges=accept, max_matches=8) for bot in ("you", "she")]
    async with playing(peers) as company:
        await company.arrived()
        yield company


@pytest.mark.slow
async def test_matches_are_told_with_their_replays_and_summed_up(
    company: Company, scene: Scene
) -> None:
    done = await arena("you", "--matches", 3, "--option", "dice_per_player=1")
    assert done.exit_code == 0, done.output
    assert "Bluff against you 1:" in done.stderr
    rows = await scene.results("me")
    assert [row.options for row in rows] == [{"dice_per_player": 1}] * 3
    for number, row in enumerate(reversed(rows), start=1):
        replay = f"http://127.0.0.1:8501/replay?match={row.match_id}"
        (line,) = (line for line in done.stdout.splitlines() if replay in line)
        assert line.startswith(f"{number}/3")
    assert "mean place" in done.stdout


def test_the_mean_place_of_tied_bots_is_that_of_the_board(
    capsys: pytest.CaptureFixture[str],
) -> None:
    one, two, three = (Entrant(bot, "1", "owner") for bot in ("one", "two", "three"))
    _print_summary(
        [
            ChallengePlayed("a", (one, two, three), (1, 1, 3)),
            ChallengePlayed("b", (two, three, one), (1, 2, 2)),
        ]
    )
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if " 1 " in line]
    assert [(row[1], row[-2]) for row in rows] == [
        ("two", "1.25"),
        ("one", "2.00"),
        ("three", "2.75"),
    ]


@pytest.mark.slow
async def test_json_says_who_was_placed_where(company: Company) -> None:
    pages = ("--dashboard", "https://arena.example/")
    done = await arena("--seats", 3, "--time", "turn=1s,bank=5s", "--json", *pages)
    told: dict[str, Any] = json.loads(done.stdout)
    (match,) = told["matches"]
    assert match["replay"] == f"https://arena.example/replay?match={match['match_id']}"
    assert {seat["bot"] for seat in match["seats"]} == {"me", "you", "she"}
    assert (told["played"], told["reason"], done.exit_code) == (1, "", 0)


async def test_mistakes_are_explained(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    for words, why in (
        (["nobody"], "Those that do: she, you."),
        (["--time", "turn=10m"], "urn_ms is 600000; allowed is 100 to 120000"),
        (["--game", "chess"], "there is no game 'chess'"),
        (["you", "--address", "127.0.0.1:1"], "cannot be reached"),
    ):
        done = await arena(*words)
        assert (done.exit_code, why in done.stderr) == (2, True), done.output
    monkeypatch.delenv("ARENA_TOKEN")
    done = await arena("you")
    assert (done.exit_code, "say with --bot" in done.stderr) == (2, True)
    done = await arena("you", "--bot", "me", "--follow", "1")
    assert (done.exit_code, "--follow asks with the token" in done.stderr) == (2, True)


@pytest.mark.slow
async def test_an_owner_needs_no_token_of_the_bot(
    company: Company, scene: Scene, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("ARENA_TOKEN")
    monkeypatch.setenv("ARENA_HOME", str(tmp_path))
    done = await arena("she", "--bot", "you")
    assert (done.exit_code, "you are not signed in" in done.stderr) == (2, True)
    owner = "ann"
    keep_login(f"127.0.0.1:{scene.port}", Login(owner, await scene.key(owner)))
    done = await arena("she", "--bot", "you")
    assert (done.exit_code, "you have no connected bot named 'you'" in done.stderr.lower()) == (
        2,
        True,
    )
    async with playing([Peer(scene.port, await scene.token("hers", owner))]) as hers:
        await hers.arrived()
        done = await arena("she", "--bot", "hers:1", "--json")
    (match,) = json.loads(done.stdout)["matches"]
    assert {seat["bot"] for seat in match["seats"]} == {"hers", "she"}


@pytest.mark.slow
async def test_the_report_goes_on_when_the_referee_is_back(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    # Bots on a busy machine take a while to be back.
    terms = Terms(patience=Patience(join_seconds=PATIENCE, grace_seconds=PATIENCE))
    accept = referee_pb2.CHALLENGE_POLICY_ACCEPT
    own_only = referee_pb2.CHALLENGE_POLICY_OWN_ONLY
    async with opened(database, port=port, terms=terms) as first:
        monkeypatch.setenv("ARENA_TOKEN", await first.token("me"))
        async with (
            await first.peer("me", challenges=own_only) as me,
            await first.peer("you", challenges=accept) as you,
        ):
            for peer in (me, you):
                await peer.greet()
            words = ("you", "--matches", 2, "--json", "--address", f"127.0.0.1:{port}")
            asking = asyncio.create_task(arena(*words))
            for peer in (me, you):
                await peer.join(await peer.hear_until(lambda heard: heard.offers))
            # One of them is asked its first turn now, and does not answer.
            await me.hear_until(lambda heard: heard.begins)
            await first.arena.hand_over()
    async with opened(database, port=port, terms=terms) as second:
        again = [
            Peer(port, first.tokens["me"], challenges=own_only),
            Peer(port, first.tokens["you"], challenges=accept, max_matches=8),
        ]
        async with playing(again) as company:
            await company.go_on(2)
            done = await asking
        rows = await second.results("me")
    # Before it stand lines of the referee's log.
    told: dict[str, Any] = json.loads(done.stdout[done.stdout.index("{\n") :])
    assert (told["played"], told["reason"], done.exit_code) == (2, "", 0)
    assert {match["match_id"] for match in told["matches"]} == {row.match_id for row in rows}
    assert "Waiting until it is back" in done.stderr


@pytest.mark.slow
async def test_a_challenge_is_followed_again_by_its_id(company: Company) -> None:
    first = json.loads((await arena("you", "--matches", 2, "--json")).stdout)
    again = await arena("--follow", first["challenge_id"], "--json")
    assert (json.loads(again.stdout), again.exit_code) == (first, 0)
    nobodys = await arena("--follow", str(uuid4()))
    assert (nobodys.exit_code, "plays in no challenge" in nobodys.stderr) == (1, True)
