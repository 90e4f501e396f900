"""The middleware that restricts requests: which addresses are open, from which sites, how many.

Streamlit opens addresses of its own, which differ between its versions. When a page of another site
calls, Streamlit asks a third party for this machine's address, in the event loop. Therefore every
address that is not named here is answered with "not found", calls of pages of other sites are
answered here, and Streamlit never gets an origin to judge.
"""

import asyncio
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from arena.addresses import network_of
from arena_dashboard.news.streams import OpenStreams
from arena_dashboard.owners import identities
from arena_dashboard.serving import not_found
from arena_dashboard.serving.index_page import TITLES
from arena_dashboard.uploads.upload_room import upload_room

READ: Final = ("GET",)
STREAM: Final = "/_stcore/stream"
UPLOAD: Final = "/_stcore/upload_file/{session_id}/{file_id}"
STREAMLITS: Final[dict[str, tuple[str, ...]]] = {
    "/_stcore/health": READ,
    "/_stcore/host-config": READ,
    "/_stcore/bidi-components/{path:path}": READ,
    "/media/{file_id:path}": READ,
    "/favicon.png": READ,
    "/static/{path:path}": READ,
    UPLOAD: ("PUT", "DELETE"),
}
"""Streamlit's open addresses besides its WebSocket, with their methods."""
OF_A_PROVIDER: Final = ("/auth/login", "/auth/logout", "/oauth2callback")
"""Further addresses, open if visitors sign in at an identity provider."""

MOST_SOCKETS: Final = 1_000
"""The most pages open at once: each has a session with its widgets, some hundred kB."""
MOST_SOCKETS_OF_AN_ADDRESS: Final = 100
"""The most pages open from one address: enough for a class behind it, with some tabs each."""
UPLOAD_SECONDS: Final = 600.0
"""The seconds that an upload may take: 20 MiB over a slow line. It uses upload room meanwhile."""
_SAFE: Final = ("GET", "HEAD")


async def _elsewhere(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer nothing; the routes here only serve to match what is open."""


def _routes(paths: Mapping[str, tuple[str, ...]]) -> list[Route]:
    return [Route(path, _elsewhere, methods=methods) for path, methods in paths.items()]


def same_site(headers: Headers, own: str | None) -> bool:
    """Return whether the request's `Origin` is the dashboard's own host.

    That is the host in the request, which a proxy may forward in a header of its own, or the host
    of the dashboard's public address `own`. The scheme is left to the proxy. No page of another
    site can choose these headers, so a proxy's header need not be proved here.
    """
    origin = _host(headers.get("origin", ""))
    asked = (headers.get("host"), headers.get("x-forwarded-host"))
    hosts = {_host(f"//{one.split(',')[0].strip()}") for one in asked if one}
    if own is not None:
        hosts.add(_host(own))
    return origin is not None and origin in hosts


def _host(address: str) -> tuple[str, int | None] | None:
    """Return host and port of an address; the port is None if it is a scheme's default."""
    try:
        found = urlsplit(address)
        port = None if found.port in (80, 443) else found.port
    except ValueError:
        return None
    return (found.hostname, port) if found.hostname else None


class PageGate:
    """Middleware that itself answers requests to addresses that are not open."""

    def __init__(self, app: ASGIApp, routes: Sequence[BaseRoute], own: str | None) -> None:
        """Wrap `app`; `routes` are ours, all open, and `own` is the dashboard's public address."""
        self._app = app
        self._own = own
        pages = {f"/{path}/": READ for path in TITLES if path}  # redirected to the page
        self._open = [*routes, *_routes(pages), *_routes(STREAMLITS)]
        self._providers = _routes(dict.fromkeys(OF_A_PROVIDER, READ))
        self._upload = Route(UPLOAD, _elsewhere, methods=["PUT"])
        self._sockets = OpenStreams(
            of_a_page=MOST_SOCKETS, of_an_address=MOST_SOCKETS_OF_AN_ADDRESS, most=MOST_SOCKETS
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request or a WebSocket, or pass it on to the app if it is allowed."""
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        address = network_of(scope["client"][0] if scope.get("client") else "")
        headers = Headers(scope=scope)
        if (
            scope["path"] != STREAM
            or not same_site(headers, self._own)
            or not self._sockets.room("", address)
        ):
            # Closing it before it is accepted refuses it with HTTP status 403.
            await send({"type": "websocket.close", "code": 1008})
            return
        # Streamlit compares origin and host itself, and asks a third party if they differ.
        told = dict(scope, headers=list(scope["headers"]))
        MutableHeaders(scope=told)["host"] = urlsplit(headers["origin"]).netloc
        with self._sockets.opened("", address):
            await self._app(told, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        told = dict(scope, headers=[one for one in scope["headers"] if one[0] != b"origin"])
        if Headers(scope=scope).get("origin", "").startswith("https://"):
            told["scheme"] = "https"  # the scheme at a proxy, which this server may not know of
        match, found = self._upload.matches(scope)
        if match is not Match.FULL:
            await self._app(told, receive, send)
            return
        session = found["path_params"]["session_id"]
        size = _length(Headers(scope=scope))
        room = upload_room()
        refused = room.refusal(session, size)
        if refused is not None or size is None:
            status, why = refused or (HTTPStatus.LENGTH_REQUIRED, "")
            await PlainTextResponse(why, status)(scope, receive, send)
            return
        try:
            async with asyncio.timeout(UPLOAD_SECONDS):
                with room.coming(session, size):
                    await self._app(told, receive, send)
        except TimeoutError:
            # Streamlit begins its answer only when the whole file has arrived.
            await PlainTextResponse("Too slow.", HTTPStatus.REQUEST_TIMEOUT)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        path, method = scope["path"], scope["method"]
        is_open = [*self._open, *(self._providers if identities.configured() else ())]
        matches = {route.matches(scope)[0] for route in is_open}
        if matches == {Match.NONE}:
            return HTMLResponse(not_found.page(path), HTTPStatus.NOT_FOUND)
        if Match.FULL not in matches:
            return PlainTextResponse("Not allowed.", HTTPStatus.METHOD_NOT_ALLOWED)
        headers = Headers(scope=scope)
        if method not in _SAFE and "origin" in headers and not same_site(headers, self._own):
            return PlainTextResponse("Another site may not do that.", HTTPStatus.FORBIDDEN)
        return None


def _length(headers: Headers) -> int | None:
    text = headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else None
