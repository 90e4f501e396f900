"""What is not named open is not found, whatever Streamlit serves; a foreign page's call is refused
here; and nothing of it makes the dashboard call anybody."""

import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx
import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit.runtime import Runtime
from streamlit.web.server.starlette.starlette_app import create_streamlit_routes
from streamlit.web.server.starlette.starlette_routes import (
    create_app_static_serving_routes,
    create_script_health_routes,
)
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from arena_dashboard.serving import gate
from arena_dashboard.serving.gate import PageGate, same_site
from arena_dashboard.serving.index_page import ROUTES, TITLES
from arena_dashboard.serving.not_found import LINKED
from arena_dashboard.serving.static_files import StaticFiles, paths
from tests.dashboard_server import answering, listening
from tests.free_port import free_port

CLOSED = {
    "/_stcore/metrics",
    "/_stcore/script-health-check",
    "/_stcore/agent/interact",
    "/_stcore/agent/mcp",
    "/_stcore/agent/openapi.json",
    "/app/static/{path:path}",
    "/component/{path:path}",
}
"""Addresses that Streamlit serves and the dashboard does not."""
WATCHED = """
import runpy, sys
said = open({said!r}, "a", buffering=1)
def note(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"):
        said.write(repr((event, *map(str, arguments[-1:] if event != "socket.getaddrinfo"
                                     else arguments[:1]))) + "\\n")
sys.addaudithook(note)
sys.argv = ["arena_dashboard", *{options!r}]
runpy.run_module("arena_dashboard", run_name="__main__", alter_sys=True)
"""


async def _all(request: Request) -> Response:
    return PlainTextResponse(request.headers.get("origin", "no origin"))


async def _stream(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.send_text(websocket.headers["host"])
    await websocket.receive_text()


def client(own: str | None = None) -> TestClient:
    """The gate before something that answers everything."""
    behind = Starlette(
        routes=[
            *ROUTES,
            WebSocketRoute("/{path:path}", _stream),
            Route("/{path:path}", _all, methods=["GET", "PUT", "DELETE", "POST"]),
        ]
    )
    return TestClient(
        PageGate(StaticFiles(behind), [*ROUTES], own), base_url="http://arena.example"
    )


def test_every_address_that_streamlit_serves_is_known_as_open_or_as_closed(tmp_path: Path) -> None:
    script = tmp_path / "page.py"
    script.touch()
    runtime = _runtime(script)
    routes = [
        *create_streamlit_routes(runtime),
        *create_script_health_routes(runtime, ""),
        *create_app_static_serving_routes(str(script), ""),
    ]
    served = {route.path for route in routes if isinstance(route, Route | WebSocketRoute)}
    mounted = [route.path for route in routes if isinstance(route, Mount)]
    assert mounted == [""]  # the files, and its page for whatever else is asked for
    open_ones = {*gate.STREAMLITS, *gate.OF_A_PROVIDER, gate.STREAM} - {
        "/favicon.png",
        "/static/{path:path}",
    }
    assert served == open_ones | CLOSED


def _runtime(script: Path) -> Runtime:
    """A runtime as st.App makes its own; there may be one in a process."""
    before, Runtime._instance = Runtime._instance, None
    try:
        return st.App(script)._create_runtime()
    finally:
        Runtime._instance = before


@pytest.mark.parametrize("path", sorted(CLOSED))
def test_what_is_closed_is_not_found(path: str) -> None:
    for method in ("GET", "POST", "PUT", "OPTIONS", "HEAD"):
        assert client().request(method, path.replace("{path:path}", "x")).status_code == 404


def test_where_no_provider_is_known_its_addresses_are_closed() -> None:
    for path in gate.OF_A_PROVIDER:
        assert client().get(path).status_code == 404


@pytest.mark.parametrize("path", ["/bots", "/boards?game=bluff", "/bot/alpha", "/bots/", "/a/b.js"])
def test_an_address_without_a_page_is_not_found_and_shows_where_the_pages_are(path: str) -> None:
    answer = client().get(path)
    assert answer.status_code == 404
    assert f"<code>{path.partition('?')[0]}</code>" in answer.text
    hrefs = re.findall(r'href="([^"]+)"', answer.text)
    linked = [urlsplit(urljoin(str(answer.url), href)).path for href in hrefs]
    assert linked == [f"/{one}" for one in LINKED]
    assert "<script" not in answer.text


def test_what_was_asked_for_is_shown_as_text() -> None:
    answer = client().get("/<img src=x onerror=alert(1)>")
    assert answer.status_code == 404
    assert "&lt;img src=x" in answer.text and "<img src=x" not in answer.text


@pytest.mark.parametrize("path", TITLES)
def test_a_page_is_read_and_nothing_else(path: str) -> None:
    answer = client().get(f"/{path}")
    assert answer.status_code == 200 and f"<title>{TITLES[path]} ·" in answer.text
    assert client().post(f"/{path}").status_code == 405


def test_files_that_there_are_are_sent_and_no_others() -> None:
    assert client().get(f"/static/{min(paths())}").status_code == 200
    assert client().get("/static/js/none.js").status_code == 404


def test_streamlit_is_told_no_origin_and_a_foreign_one_changes_nothing() -> None:
    foreign = {"Origin": "http://evil.example"}
    assert client().get("/_stcore/health", headers=foreign).text == "no origin"
    refused = client().delete("/_stcore/upload_file/a/b", headers=foreign)
    assert refused.status_code == 403


@pytest.mark.parametrize(
    ("origin", "host", "forwarded", "own", "same"),
    [
        ("http://arena.example", "arena.example", None, None, True),
        ("https://arena.example", "arena.example:443", None, None, True),
        ("http://[::1]:8501", "[::1]:8501", None, None, True),
        ("https://arena.example", "127.0.0.1:8501", "arena.example", None, True),
        ("https://arena.example", "127.0.0.1:8501", "arena.example, inner", None, True),
        ("https://arena.example", "127.0.0.1:8501", None, "https://arena.example", True),
        ("https://ARENA.example", "arena.example", None, None, True),
        ("http://evil.example", "arena.example", None, None, False),
        ("http://evil.example", "arena.example", None, "https://arena.example", False),
        ("http://arena.example:9999", "arena.example", None, None, False),
        ("http://arena.example.evil.example", "arena.example", None, None, False),
        ("http://arena.example@evil.example", "arena.example", None, None, False),
        ("null", "arena.example", None, None, False),
        ("", "", None, None, False),
        (None, "arena.example", None, None, False),
        ("http://[::1", "arena.example", None, None, False),
        ("http://a:99999999", "a", None, None, False),
    ],
)
def test_the_origin_is_the_host_that_was_asked(
    origin: str | None, host: str, forwarded: str | None, own: str | None, same: bool
) -> None:
    told = {"origin": origin, "host": host, "x-forwarded-host": forwarded}
    assert same_site(Headers({key: one for key, one in told.items() if one is not None}), own) is (
        same
    )


def test_a_socket_is_opened_for_our_pages_alone() -> None:
    for headers in ({}, {"Origin": "http://evil.example"}, {"Origin": "null"}):
        with (
            pytest.raises(WebSocketDisconnect),
            client().websocket_connect(gate.STREAM, headers=headers),
        ):
            pass
    own = {"Origin": "https://public.example"}
    with (
        pytest.raises(WebSocketDisconnect),
        client("https://public.example").websocket_connect("/_stcore/other", headers=own),
    ):
        pass
    with client("https://public.example").websocket_connect(gate.STREAM, headers=own) as socket:
        # What Streamlit compares is the same, so it asks nobody.
        assert socket.receive_text() == "public.example"
        socket.send_text("")


def test_an_address_has_so_many_sockets_and_each_that_ends_makes_room() -> None:
    own = {"Origin": "http://testserver"}
    with client() as opened:
        with ExitStack() as stack:
            for _ in range(gate.MOST_SOCKETS_OF_AN_ADDRESS):
                socket = stack.enter_context(opened.websocket_connect(gate.STREAM, headers=own))
                socket.receive_text()
                stack.callback(socket.send_text, "")
            with (
                pytest.raises(WebSocketDisconnect),
                opened.websocket_connect(gate.STREAM, headers=own),
            ):
                pass
        with opened.websocket_connect(gate.STREAM, headers=own) as socket:
            socket.receive_text()
            socket.send_text("")


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a dashboard on all addresses, and the file of what it called."""
    said = tmp_path_factory.mktemp("watched") / "said"
    port = free_port()
    options = [*listening(port), "--host", "0.0.0.0"]
    program = WATCHED.format(said=str(said), options=options)
    with answering(["-c", program], port, ARENA_HOME=str(said.parent)):
        yield f"127.0.0.1:{port}", said


@pytest.mark.slow
def test_whatever_a_stranger_asks_the_dashboard_calls_nobody(watched: tuple[str, Path]) -> None:
    address, said = watched
    names = {"session_id": "a", "file_id": "b", "path": "x"}
    addresses = [*gate.STREAMLITS, *gate.OF_A_PROVIDER, "/", *CLOSED]
    with httpx.Client(trust_env=False) as asking:
        for origin in ("http://evil.example", f"http://{address}", "null"):
            for place in addresses:
                path = re.sub(r"{(\w+)(:path)?}", lambda found: names[found[1]], place)
                for method in ("GET", "PUT", "DELETE", "OPTIONS"):
                    url = f"http://{address}{path}"
                    asking.request(method, url, headers={"Origin": origin}, content=b"")
    for foreign in (None, "http://evil.example", "http://10.0.0.1", "null"):
        began = time.monotonic()
        with pytest.raises(InvalidStatus) as refused, _connected(address, foreign):
            pass
        assert refused.value.response.status_code == 403
        assert time.monotonic() - began < 5
    with _connected(address, f"http://{address}"):
        pass
    called = [line for line in said.read_text().splitlines() if "127.0.0.1" not in line]
    assert called == []


def _connected(address: str, origin: str | None) -> ClientConnection:
    url = f"ws://{address}{gate.STREAM}"
    return connect(url, origin=Origin(origin) if origin else None, proxy=None)
