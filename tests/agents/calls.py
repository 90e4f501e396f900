"""Calls of the tools of an agents' server, by the SDK's client."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from mcp import Client

from arena.agents.account import AgentAccount, BotTokens
from arena.agents.server import agent_server
from tests.scene import Scene

TABLES = {"bluff": 2, "bluff_you": 3, "bloeff": 3, "skull": 3}


def account(address: str, key: str) -> AgentAccount:
    kept: dict[str, str] = {}
    tokens = BotTokens(lambda bot: kept.get(bot, ""), kept.__setitem__)
    return AgentAccount(address, key, tokens, environment={})


@asynccontextmanager
async def agent_of(address: str, key: str) -> AsyncIterator[Client]:
    one = account(address, key)
    async with Client(agent_server(lambda: one, one.leave_all)) as client:
        yield client


def agent(scene: Scene, key: str) -> AbstractAsyncContextManager[Client]:
    return agent_of(f"127.0.0.1:{scene.port}", key)


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


def chosen(game: str, actions: list[Any]) -> Any:
    """The action with which matches last: in Bluff a low bet, no doubt; elsewhere the last one."""
    return actions[min(1, len(actions) - 1) if game == "bluff" else -1]


async def play(client: Client, table: str) -> dict[str, Any]:
    """Play the action that is `chosen` at each turn until the match is over; what is known then."""
    state: dict[str, Any] = await told(client, "wait_for_turn", table=table)
    while state["state"] != "over":
        assert state["state"] != "no_match", state
        if state["state"] == "your_turn":
            arguments = {
                "turn": state["turn"],
                "action": chosen(state["game"], state["legal_actions"]),
            }
            arguments["note"] = f"turn {state['turn']}"
            state = await told(client, "act", table=table, **arguments)
        else:
            state = await told(client, "wait_for_turn", table=table)
    return state
