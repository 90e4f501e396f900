"""An agent plays, reads and uploads by the tools, over the official SDK's client."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from arena.agents.account import AgentAccount, BotTokens
from arena.agents.owners import OwnerAccounts
from arena.agents.server import agent_server, http_server
from arena.commands.owners.bot_tokens import keep_token, kept_token
from arena.commands.owners.logins import Login, keep_login
from arena.games import make_game
from arena.scheduling.ladder import TableType
from arena.server.play.terms import Patience, Terms
from arena.v1 import referee_pb2
from tests.bots import PATIENCE
from tests.scene import Scene, opened, playing

TABLES = {"bluff": 2, "bluff_you": 3, "bloeff": 3}


@pytest.fixture
async def scene(database: str) -> AsyncIterator[Scene]:
    tables = [TableType(game, make_game(game, {}).options, seats) for game, seats in TABLES.items()]
    terms = Terms(patience=Patience(join_seconds=5, grace_seconds=20))
    async with opened(database, *tables, terms=terms) as scene:
        accept = referee_pb2.CHALLENGE_POLICY_ACCEPT
        peers = [await scene.peer(name, challenges=accept, games=[*TABLES]) for name in ("a", "b")]
        async with playing(peers) as company:
            await company.arrived()
            yield scene


def account(scene: Scene, key: str) -> AgentAccount:
    kept: dict[str, str] = {}
    tokens = BotTokens(lambda bot: kept.get(bot, ""), kept.__setitem__)
    return AgentAccount(f"127.0.0.1:{scene.port}", key, tokens, environment={})


@asynccontextmanager
async def agent(scene: Scene, key: str) -> AsyncIterator[Client]:
    one = account(scene, key)
    async with Client(agent_server(lambda: one, one.leave_all)) as client:
        yield client


async def told(client: Client, tool: str, **arguments: Any) -> Any:
    """What a tool answers."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    assert answer.structured_content is not None
    content = dict(answer.structured_content)
    return content["result"] if content.keys() == {"result"} else content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """What a tool says that refuses."""
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error
    return " ".join(getattr(part, "text", "") for part in answer.content)


async def play(client: Client, table: str) -> dict[str, Any]:
    """Plays the last legal action until the match is over."""
    state: dict[str, Any] = await told(client, "wait_for_turn", table=table)
    while state["state"] != "over":
        if state["state"] == "your_turn":
            arguments = {"turn": state["turn"], "action": state["legal_actions"][-1]}
            state = await told(client, "act", table=table, **arguments)
        else:
            state = await told(client, "wait_for_turn", table=table)
    return state


@pytest.mark.parametrize("game", TABLES)
async def test_an_agent_plays_a_match_and_reads_what_it_was(game: str, scene: Scene) -> None:
    async with agent(scene, await scene.key()) as client:
        rivals = await told(client, "opponents")
        assert {one["bot"] for one in rivals} == {"a", "b"}
        others = ["a", "b"][: TABLES[game] - 1]
        joined = await told(client, "join", bot="mine", game=game, opponents=others)
        over = await play(client, joined["table"])
        assert set(over["places"].values()) <= {1, 2, 3}
        assert over["seats"][over["your_seat"]] == "mine (you)"
        steps = await told(client, "replay", match=over["match"])
        assert len(steps) > 3
        decisions = await told(client, "analyse", match=over["match"])
        assert {one["bot"].split()[0] for one in decisions} >= {"mine"}
        (match,) = await told(client, "matches", bot="mine")
        assert match["match"] == over["match"]
    assert await scene.faults("mine") == 0


async def test_a_wrong_call_says_what_is_allowed_and_changes_nothing(scene: Scene) -> None:
    async with agent(scene, await scene.key()) as client:
        assert "bluff" in await refused(client, "rules", game="poker")
        assert "There is no table" in await refused(client, "wait_for_turn", table="x")
        assert "source" in await refused(client, "submit", bot="mine", file="/etc/passwd")
        joined = await told(client, "join", bot="mine", opponents=["a"])
        table = joined["table"]
        state = await told(client, "wait_for_turn", table=table)
        wrong = {"type": "bet", "quantity": 99, "face": 1}
        for turn, action, why in (
            (state["turn"], wrong, "legal_actions"),
            (state["turn"] + 1, state["legal_actions"][0], "This turn is over"),
            (state["turn"], {"type": "dance"}, "dance"),
        ):
            assert why in await refused(client, "act", table=table, turn=turn, action=action)
        assert "is being played" in await refused(client, "play_again", table=table)
        await play(client, table)
        assert (await told(client, "play_again", table=table))["state"] != "over"
        await play(client, table)
    assert await scene.faults("mine") == 0


async def test_a_wait_can_be_cancelled_and_the_table_stays(scene: Scene) -> None:
    idle = await scene.peer("idle", challenges=referee_pb2.CHALLENGE_POLICY_ACCEPT)
    await idle.greet()  # it never joins
    async with agent(scene, await scene.key()) as client:
        joined = await told(client, "join", bot="mine", opponents=["idle"])
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await client.call_tool("wait_for_turn", joined)
        state = await told(client, "wait_for_turn", table=joined["table"], seconds=0)
        assert state["state"] == "waiting"
        assert "left" in await told(client, "leave", table=joined["table"])
    await idle.channel.close()


async def test_two_agents_play_side_by_side_and_neither_sees_the_others_table(
    scene: Scene,
) -> None:
    async with (
        agent(scene, await scene.key("one")) as one,
        agent(scene, await scene.key("two")) as two,
    ):
        first = await told(one, "join", bot="first", opponents=["a"])
        second = await told(two, "join", bot="second", opponents=["b"])
        assert "There is no table" in await refused(two, "wait_for_turn", table=first["table"])
        assert "another name" in await refused(two, "join", bot="first", opponents=["a"])
        await asyncio.gather(play(one, first["table"]), play(two, second["table"]))


async def test_a_visitor_may_look_and_nothing_else(scene: Scene) -> None:
    async with agent(scene, "") as client:
        assert await told(client, "leaderboard") is not None
        assert "arena signup" in await refused(client, "join", bot="mine")
        assert "arena signup" in await refused(client, "builds")
        names = {str(one.uri) for one in (await client.list_resources()).resources}
        assert "arena://rules/bluff" in names
        prompts = {one.name for one in (await client.list_prompts()).prompts}
        assert prompts == {"play_a_match", "write_a_bot"}


async def test_an_agent_on_this_machine_uploads_files_and_nothing_without_an_end(
    scene: Scene,
) -> None:
    one = account(scene, await scene.key())
    one = replace(one, own_files=True)
    async with Client(agent_server(lambda: one, one.leave_all)) as client:
        assert "is no file" in await refused(client, "submit", bot="mine", file="/dev/zero")


def test_tokens_that_are_kept_at_once_are_all_kept_each_for_its_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path))
    bots = [f"bot-{number}" for number in range(20)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda bot: keep_token("arena:1", "ann", bot, f"of {bot}"), bots))
    assert [kept_token("arena:1", "ann", bot) for bot in bots] == [f"of {bot}" for bot in bots]
    for address, owner in (("arena:1", "bob"), ("arena:1", ""), ("arena:2", "ann")):
        assert kept_token(address, owner, bots[0]) == ""


@pytest.mark.slow
async def test_the_command_speaks_the_protocol_and_nothing_else_on_its_output(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path))
    address = f"127.0.0.1:{scene.port}"
    keep_login(address, Login("me", await scene.key()))
    environment = {"PATH": os.environ["PATH"], "ARENA_HOME": str(tmp_path)}
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "arena", "mcp", "--address", address],
        env=environment,
    )
    async with asyncio.timeout(PATIENCE), Client(server) as client:
        joined = await told(client, "join", bot="mine", opponents=["a"])
        assert (await play(client, joined["table"]))["places"]
        assert (tmp_path / "config/bots.json").stat().st_mode & 0o077 == 0


@pytest.mark.slow
async def test_over_http_each_agent_has_the_rights_of_its_key_alone(scene: Scene) -> None:
    kept: dict[str, dict[str, str]] = {}

    def tokens_of(owner: str) -> BotTokens:
        own = kept.setdefault(owner, {})
        return BotTokens(lambda bot: own.get(bot, ""), own.__setitem__)

    listening = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    owners = OwnerAccounts(f"127.0.0.1:{scene.port}", tokens_of)
    app = http_server(owners, url).streamable_http_app()
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    serving = asyncio.create_task(server.serve(sockets=[listening]))

    @asynccontextmanager
    async def agent_of(key: str) -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {key}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
        ):
            yield client

    try:
        async with (
            agent_of(await scene.key("one")) as one,
            agent_of(await scene.key("two")) as two,
        ):
            joined = await told(one, "join", bot="first", opponents=["a"])
            assert "there are none" in await refused(two, "wait_for_turn", table=joined["table"])
            assert "source" in await refused(two, "submit", bot="second", file="/etc/passwd")
            assert (await play(one, joined["table"]))["places"]
        async with httpx2.AsyncClient() as nobody:
            for headers in ({}, {"Authorization": "Bearer of nobody"}):
                answer = await nobody.post(f"{url}/mcp", json={}, headers=headers)
                assert answer.status_code == 401
        assert kept == {"one": {"first": kept["one"]["first"]}, "two": {}}
    finally:
        server.should_exit = True
        await serving


@pytest.mark.slow
def test_ctrl_c_ends_the_command_while_its_input_is_open(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "ARENA_HOME": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-m", "arena", "mcp"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        process.stdin.flush()
        assert process.stdout.readline()  # it serves
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
