"""An agent's match outlives its referee: a process that is killed and started again."""

import asyncio
import os
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import psycopg
import pytest

from arena.person.play_endpoint import PlayEndpoint
from arena.processes import spawn
from arena.server.app.store import open_store
from tests import recorded_matches
from tests.agents.calls import agent_of, play, told
from tests.databases import plain
from tests.end_to_end.programs import program
from tests.free_port import free_port
from tests.waiting import until


def kept_replies(database: str, match_id: str) -> int:
    """How many replies of a running match are kept for the next referee."""
    with psycopg.connect(plain(database)) as connection:
        counted = connection.execute(
            "SELECT count(*) FROM running_replies WHERE match_id = %s", (match_id,)
        )
        return int(counted.fetchall()[0][0])


@pytest.mark.slow
async def test_a_match_that_began_before_a_crash_is_played_to_its_end_and_recorded_once(
    database: str, tmp_path: Path
) -> None:
    port = free_port()
    serve = ("serve", "--port", str(port), "--table", "bluff:2")
    settings = {"ARENA_DATABASE_URL": database, "ARENA_HOSTING": "false"}
    async with open_store(database) as store:
        _, token = await store.register("honest", "house")
        _, key = await store.owners.sign_up("me", None)
    address = f"127.0.0.1:{port}"
    with ExitStack() as stack:
        first = stack.enter_context(program(tmp_path / "first", *serve, **settings))
        first.port()
        bot = spawn(
            [sys.executable, "-m", "arena_sample_bots.honest", "--challenges"],
            env=os.environ | {"ARENA_ADDRESS": address, "ARENA_TOKEN": token},
        )
        stack.callback(bot.wait)
        stack.callback(bot.kill)
        async with agent_of(address, key) as client:
            # Calls are limited, and each of these looks is one.
            await asyncio.to_thread(until, PlayEndpoint(address, {}, "").rivals, pause=0.25)
            joined = await told(client, "join", bot="mine", opponents=["honest"])
            state = await told(client, "wait_for_turn", **joined)
            act = {"turn": state["turn"], "action": state["legal_actions"][0]}
            state = await told(client, "act", table=joined["table"], **act)
            assert state["state"] == "your_turn"
            replied = partial(kept_replies, database, state["match"])
            await asyncio.to_thread(until, replied, pause=0.1)
            first.kill()
            second = stack.enter_context(program(tmp_path / "second", *serve, **settings))
            second.port()
            over = await play(client, joined["table"])
    assert state["match"] == over["match"]
    assert over["places"].keys() == {"mine (you)", "honest"}
    async with open_store(database) as store:
        rows = await recorded_matches.matches(store, bot="mine")
    assert [(row.match_id, [seat.faults for seat in row.seats]) for row in rows] == [
        (over["match"], [0, 0])
    ]
