"""An agent plays, reads and uploads by the tools, over the official SDK's client."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from arena.agents.account import AgentAccount
from arena.agents.server import agent_server
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
    tokens: dict[str, str] = {}
    return AgentAccount(
        f"127.0.0.1:{scene.port}",
        key,
        lambda bot: tokens.get(bot, ""),
        tokens.__setitem__,
        {},
    )


@asynccontextmanager
async def agent(scene: Scene, key: str) -> AsyncIterator[Client]:
    async with Client(agent_server(account(scene, key))) as client:
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
