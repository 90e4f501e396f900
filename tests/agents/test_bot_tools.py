"""An agent lets its bots play whom it names, and learns what came of uploads."""

import pytest

from arena.builds.hosted import HostingTerms
from arena.v1 import referee_pb2
from tests.agents.calls import agent, refused, told
from tests.jobs import accept_build
from tests.scene import Scene, opened, playing

OWN_ONLY = referee_pb2.CHALLENGE_POLICY_OWN_ONLY


async def test_a_connected_bot_of_the_key_plays_whom_the_agent_names(scene: Scene) -> None:
    key = await scene.key("ann")
    await scene.token("hers", owner="ann")
    peer = await scene.peer("hers", challenges=OWN_ONLY)
    async with playing([peer]) as company, agent(scene, key) as client:
        await company.arrived()
        found = await told(client, "challenge", bot="hers", opponents=["a"], matches=2)
        assert (found["over"], found["reason"]) == (True, "All were played.")
        for match in found["matches"]:
            assert {one["bot"] for one in match["places"]} == {"hers", "a"}
        listed = {one["match"] for one in (await told(client, "matches", bot="hers"))["matches"]}
        assert listed == {one["match"] for one in found["matches"]}
        assert len(listed) == 2
        paged, page = set(), ""
        for _ in range(2):
            found = await told(client, "matches", bot="hers", limit=1, page=page)
            paged |= {one["match"] for one in found["matches"]}
            page = found["next_page"]
        assert paged == listed
        for bot, opponent, why in (
            ("b", "a", "You have no connected bot named 'b'"),
            ("hers", "nobody", "Those that do: a, b."),
        ):
            assert why in await refused(client, "challenge", bot=bot, opponents=[opponent])


async def test_programs_are_tried_on_the_machine_of_the_agent_alone(scene: Scene) -> None:
    async with agent(scene, await scene.key("ann")) as client:
        assert "not on your machine" in await refused(client, "check", file="bot.py")
        assert "not on your machine" in await refused(client, "test", new="a.py", old="b.py")
        assert "either" in await refused(client, "check")
        assert "poker" in await refused(client, "test", new="a.py", old="b.py", game="poker")


@pytest.mark.slow
async def test_what_came_of_an_upload_is_asked_by_its_name(database: str) -> None:
    async with (
        opened(database, hosting=HostingTerms()) as scene,
        agent(scene, await scene.key("ann")) as client,
    ):
        assert "no 'mine': " in await refused(client, "check", bot="mine")
        wrong = await refused(client, "submit", bot="mine", source="pass\ndef act(:\n")
        assert "not uploaded: line 2: " in wrong
        assert (await told(client, "builds"))["builds"] == []
        made = await told(client, "submit", bot="mine", source="pass")
        await accept_build(scene.arena.store, database, "mine")
        checked = await told(client, "check", bot="mine", version=made["version"])
        assert (checked["bot"], checked["accepted"]) == ("mine", True)
        log = await told(client, "log", bot="mine")
        assert (log["running"], log["check"]) == (False, True)
        assert log["ended"]
