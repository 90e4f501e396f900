"""An agent plays, reads and uploads by the tools, over the official SDK's client."""

import asyncio
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from arena.agents.server import agent_server
from arena.builds.hosted import HostingTerms
from arena.commands.owners.bot_tokens import keep_token, kept_token
from arena.commands.owners.logins import Login, keep_login
from arena.v1 import referee_pb2
from tests.agents.calls import TABLES, account, agent, play, refused, told
from tests.bots import PATIENCE
from tests.scene import Scene, opened


@pytest.mark.parametrize("game", TABLES)
async def test_an_agent_plays_a_long_match_and_reads_what_it_was(game: str, scene: Scene) -> None:
    async with agent(scene, await scene.key()) as client:
        rivals = await told(client, "opponents")
        assert {one["bot"] for one in rivals["opponents"]} == {"a", "b"}
        others = ["a", "b"][: TABLES[game] - 1]
        joined = await told(client, "join", bot="mine", game=game, opponents=others)
        over = await play(client, joined["table"])
        assert set(over["places"].values()) <= {1, 2, 3}
        assert over["seats"][over["your_seat"]] == "mine (you)"
        steps = (await told(client, "replay", match=over["match"]))["steps"]
        assert len(steps) > 20, steps
        assert any("Drawn: {" in one for one in steps), steps
        notes = (await told(client, "notes", match=over["match"]))["notes"]
        assert {one["seat"] for one in notes} == {over["your_seat"]}
        assert [one["text"] for one in notes] == [f"turn {one['turn']}" for one in notes]
        analysis = await told(client, "analyse", match=over["match"])
        own = [one for one in analysis["decisions"] if one["bot"].split()[0] == "mine"]
        assert {one["turn"] for one in own} == {one["turn"] for one in notes}
        assert all((one["better"] is None) == (not one["loss"]) for one in own)
        assert len(analysis["seats"]) == TABLES[game]
        (match,) = (await told(client, "matches", bot="mine"))["matches"]
        assert (match["match"], match["rated"]) == (over["match"], False)
        assert match["faults"] == [0] * TABLES[game]
        assert not (await told(client, "matches", bot="mine", rated=True))["matches"]
        won = over["places"]["mine (you)"] == 1
        listed = (await told(client, "matches", bot="mine", won=won))["matches"]
        assert [one["match"] for one in listed] == [over["match"]]
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
            (state["turn"], wrong, "possible now. Legal: "),
            (state["turn"] + 1, state["legal_actions"][0], "has not begun"),
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
                await client.call_tool("wait_for_turn", {"table": joined["table"]})
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
        assert (await told(client, "leaderboard"))["ratings"] == []
        (text,) = (await client.call_tool("leaderboard", {})).content
        assert text.text.startswith('{"game":"bluff","seats":')
        assert "arena signup" in await refused(client, "join", bot="mine")
        assert "arena signup" in await refused(client, "builds")
        names = {str(one.uri) for one in (await client.list_resources()).resources}
        assert "arena://rules/bluff" in names
        documents = {name for name in names if name.startswith("arena://docs/")}
        assert not documents or {"arena://docs/skill.md", "arena://docs/play.md"} < documents
        for name in documents:
            (page,) = (await client.read_resource(name)).contents
            assert "# " in page.text
            assert page.text == await told(client, "docs", page=name.removeprefix("arena://docs/"))
        assert "no page 'nosuch.md'" in await refused(client, "docs", page="nosuch.md")
        prompts = {one.name for one in (await client.list_prompts()).prompts}
        assert prompts == {"play_a_match", "write_a_bot"}


async def test_an_agent_on_this_machine_uploads_files_and_nothing_without_an_end(
    database: str, tmp_path: Path
) -> None:
    file = tmp_path / "bot.py"
    file.write_text("pass")
    async with opened(database, hosting=HostingTerms()) as scene:
        one = replace(account(f"127.0.0.1:{scene.port}", await scene.key()), own_files=True)
        async with Client(agent_server(lambda: one, one.leave_all)) as client:
            assert "is no file" in await refused(client, "submit", bot="mine", file="/dev/zero")
            assert await told(client, "builds") == {"builds": []}
            made = await told(client, "submit", bot="mine", file=str(file))
            (build,) = (await told(client, "builds"))["builds"]
            assert (build["bot"], build["version"]) == ("mine", made["version"])


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
