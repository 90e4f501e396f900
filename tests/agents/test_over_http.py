"""Agents over HTTP: each has the rights of its key, and wrong keys count for their address."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from arena.agents import sessions
from arena.agents.account import BotTokens
from arena.agents.owners import OwnerAccounts
from arena.agents.server import http_app
from arena.agents.visitors import WRONG_KEYS
from arena.server.limits.limits import Limits
from tests.agents.calls import play, refused, told
from tests.scene import Scene, opened

SECRET = "the secret of the dashboard"


class Server:
    """An agents' server over HTTP, while the block lasts."""

    def __init__(self, scene: Scene, secret: str | None = None) -> None:
        self.kept: dict[str, dict[str, str]] = {}
        """The tokens by owner and bot."""
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._host = f"127.0.0.1:{self._listening.getsockname()[1]}"
        self.url = f"http://{self._host}"
        self._owners = OwnerAccounts(f"127.0.0.1:{scene.port}", self._tokens_of, secret)

    def _tokens_of(self, owner: str) -> BotTokens:
        own = self.kept.setdefault(owner, {})
        return BotTokens(lambda bot: own.get(bot, ""), own.__setitem__)

    async def __aenter__(self) -> "Server":
        app = http_app(self._owners, self.url, [self._host])
        self._server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        self._serving = asyncio.create_task(self._server.serve(sockets=[self._listening]))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.should_exit = True
        await self._serving

    @asynccontextmanager
    async def agent(self, key: str, address: str = "127.0.0.1") -> AsyncIterator[Client]:
        """An agent with a key, at an address of this machine."""
        headers = {"Authorization": f"Bearer {key}"}
        transport = httpx2.AsyncHTTPTransport(local_address=address)
        async with (
            httpx2.AsyncClient(headers=headers, transport=transport) as http,
            Client(streamable_http_client(f"{self.url}/mcp", http_client=http)) as client,
        ):
            yield client

    async def status(self, key: str, address: str) -> int:
        """The status of a request with a key, from an address of this machine."""
        transport = httpx2.AsyncHTTPTransport(local_address=address)
        async with httpx2.AsyncClient(transport=transport) as http:
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            answer = await http.post(f"{self.url}/mcp", json={}, headers=headers)
            assert ("Retry-After" in answer.headers) == (answer.status_code == 429)
            return answer.status_code


@pytest.mark.slow
async def test_each_agent_has_the_rights_of_its_key_alone(scene: Scene) -> None:
    async with Server(scene) as server:
        async with (
            server.agent(await scene.key("one")) as one,
            server.agent(await scene.key("two")) as two,
        ):
            joined = await told(one, "join", bot="first", opponents=["a"])
            assert "there are none" in await refused(two, "wait_for_turn", table=joined["table"])
            assert "source" in await refused(two, "submit", bot="second", file="/etc/passwd")
            assert (await play(one, joined["table"]))["places"]
        for key in ("", "of nobody"):
            assert await server.status(key, "127.0.0.1") == 401
        assert server.kept == {"one": {"first": server.kept["one"]["first"]}, "two": {}}


async def test_the_wrong_keys_of_one_address_do_not_keep_others_out(database: str) -> None:
    limits = Limits(failures_burst=WRONG_KEYS)
    async with opened(database, limits=limits, dashboard_secret=SECRET) as scene:
        early, late = await scene.key("early"), await scene.key("late")
        async with Server(scene, SECRET) as server, server.agent(early) as client:
            await told(client, "leaderboard")
            tries = range(WRONG_KEYS)
            answers = [await server.status(f"arena_owner_guess{n}", "127.0.0.2") for n in tries]
            assert answers == [401] * WRONG_KEYS
            assert await server.status(late, "127.0.0.2") == 429  # even a right one waits
            # Neither here nor at the referee, which counts for the address that we say.
            assert await server.status(late, "127.0.0.3") == 400  # a right key, no request
            assert await server.status(early, "127.0.0.2") == 400


async def test_the_calls_of_one_agent_do_not_count_for_others(database: str) -> None:
    limits = Limits(calls_burst=12, calls_per_second=0.01, refusal_seconds=0.01)
    async with opened(database, limits=limits, dashboard_secret=SECRET) as scene:
        busy, calm = await scene.key("busy"), await scene.key("calm")
        async with Server(scene, SECRET) as server:
            async with server.agent(busy, "127.0.0.2") as client:
                for _ in range(limits.calls_burst):
                    await client.call_tool("opponents", {})
                for tool, wanted in (
                    ("opponents", {}),
                    ("challenge", {"bot": "mine", "opponents": ["a"]}),
                    ("join", {"bot": "mine"}),
                ):
                    assert "Too many calls" in await refused(client, tool, **wanted)
            async with server.agent(calm, "127.0.0.3") as client:
                assert await told(client, "opponents") == {"opponents": []}
                for tool, wanted in (
                    ("challenge", {"bot": "mine", "opponents": ["a"]}),
                    ("join", {"bot": "other"}),
                ):
                    assert "Too many" not in await refused(client, tool, **wanted)


async def test_a_key_that_was_renewed_is_refused_beyond_the_limits_too(database: str) -> None:
    limits = Limits(calls_burst=20, calls_per_second=0.01, refusal_seconds=0.01)
    async with opened(database, limits=limits, dashboard_secret=SECRET) as scene:
        key = await scene.key("ann")
        async with Server(scene, SECRET) as server, server.agent(key) as client:
            await told(client, "leaderboard")
            ann = await scene.arena.store.owners.by_key(key)
            assert ann is not None
            await scene.arena.store.owners.renew_key(ann)
            tries = range(2 * int(limits.calls_burst))
            assert {await server.status(key, "127.0.0.1") for _ in tries} <= {401, 429}


async def test_requests_with_one_key_at_a_time_are_one_question_to_the_referee(
    database: str,
) -> None:
    limits = Limits(calls_burst=1, calls_per_second=0.01, refusal_seconds=0.01)
    async with opened(database, limits=limits) as scene:
        key = await scene.key("ann")
        owners = OwnerAccounts(f"127.0.0.1:{scene.port}", lambda _: BotTokens(str, print))
        found = await asyncio.gather(*(owners.verify_token(key) for _ in range(WRONG_KEYS)))
        assert {one and one.client_id for one in found} == {"ann"}


HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}} | {
    "clientInfo": {"name": "test", "version": "1"}
}


async def opened_sessions(
    server: Server, key: str, sessions: int, *, end: bool = False
) -> list[httpx2.Response]:
    """The answers to requests for sessions, made at once; those that are opened are ended then."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    headers = {"Authorization": f"Bearer {key}"}
    headers["Accept"] = "application/json, text/event-stream"
    async with httpx2.AsyncClient(headers=headers) as http:
        url = f"{server.url}/mcp"
        answers = await asyncio.gather(*(http.post(url, json=body) for _ in range(sessions)))
        for answer in answers if end else ():
            if answer.status_code == 200:
                session = {"Mcp-Session-Id": answer.headers["Mcp-Session-Id"]}
                assert (await http.delete(url, headers=session)).status_code == 200
    return answers


async def test_sessions_are_limited(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "MOST_SESSIONS", 1)
    async with opened(database) as scene, Server(scene) as server:
        answers = await opened_sessions(server, await scene.key("ann"), 2)
        assert sorted(one.status_code for one in answers) == [200, 503]


async def test_an_owner_has_a_share_of_the_sessions(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "MOST_OF_OWNER", 2)
    async with opened(database) as scene, Server(scene) as server:
        ann, bob = await scene.key("ann"), await scene.key("bob")
        answers = await opened_sessions(server, ann, 6, end=True)
        assert sorted(one.status_code for one in answers) == [200, 200] + 4 * [503]
        refusals = {one.json()["error"]["message"] for one in answers if one.status_code == 503}
        assert refusals == {
            "ann has 2 sessions open, the most of an owner: end one of them, or wait until half an "
            "hour after its last request."
        }
        for key in (ann, bob):  # what was ended makes room, and others have a share of their own
            (opened_now, *_) = await opened_sessions(server, key, 1)
            assert opened_now.status_code == 200
        async with server.agent(ann) as client:
            await told(client, "leaderboard")
