"""The dashboard's application: Streamlit's, with our routes, security headers and middleware.

At its start it reads the data of "Home", before the first visitor comes.

The content security policy forbids scripts, styles, pictures and connections from other origins,
and framing. Streamlit needs three exceptions: styles in the page, `eval`, which compiles the
charts, and scripts of components at `blob:` addresses, which only a script that already runs can
create.

Other sites may frame only the embedded player: it shows public data, has no control that changes
anything, and its links open tabs of their own.
"""

import asyncio
import re
from base64 import b64encode
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from threading import Thread
from typing import Final
from urllib.parse import parse_qs

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime import get_instance

from arena.settings import read_settings
from arena_dashboard.events import event_downloads
from arena_dashboard.home import home_data
from arena_dashboard.news import news
from arena_dashboard.owners import kept_sign_in
from arena_dashboard.player import component
from arena_dashboard.playing import routes
from arena_dashboard.serving import documentation, feeds, index_page, sdk
from arena_dashboard.serving.gate import PageGate
from arena_dashboard.serving.static_files import StaticFiles
from arena_dashboard.uploads.upload_room import upload_room

SWEEP_SECONDS: Final = 15.0
"""The seconds between two searches for uploaded files of pages that are closed."""


def policy(page: str) -> str:
    """Return the content security policy for the HTML `page`, which allows the scripts in it."""
    inline = dict.fromkeys(re.findall(r"<script>(.*?)</script>", page, re.DOTALL))
    digests = [b64encode(sha256(script.encode()).digest()).decode() for script in inline]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    rules = (
        "default-src 'self'",
        f"script-src 'self' blob: 'unsafe-eval' {allowed}".rstrip(),
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
    )
    return "; ".join(rules)


_POLICY = policy(index_page.index_page(""))
_EVERYWHERE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
HEADERS = {
    "Content-Security-Policy": f"{_POLICY}; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    **_EVERYWHERE,
}
EMBEDDED_HEADERS = {"Content-Security-Policy": f"{_POLICY}; frame-ancestors *", **_EVERYWHERE}


@cache
def documentation_headers() -> dict[str, str]:
    """Return the headers of the documentation, whose pages have scripts of their own."""
    policy_ = f"{policy(documentation.pages())}; frame-ancestors 'none'"
    return HEADERS | {"Content-Security-Policy": policy_}


def headers_for(path: str, query: str) -> dict[str, str]:
    """Return the headers of the response to a request."""
    if path.startswith(f"{documentation.BELOW}/"):
        return documentation_headers()
    embedded = path == "/replay" and parse_qs(query).get("embed") == ["1"]
    return EMBEDDED_HEADERS if embedded else HEADERS


OWN_FILES = re.compile(r"/bidi-components/bluff-arena\.[a-z]+-[0-9a-f]{12}/")
"""A pattern found in the addresses of the player's files, which change with their content."""


class _WithHeaders:
    """Middleware that adds the headers to HTTP responses, and lets browsers keep player files."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(headers_for(scope["path"], scope["query_string"].decode("latin-1")))
                if message["status"] == HTTPStatus.OK and OWN_FILES.search(scope["path"]):
                    headers["Cache-Control"] = "public, immutable, max-age=31536000"
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


@asynccontextmanager
async def _prepared(app: st.App) -> AsyncIterator[None]:
    """Run the app with the player's files registered and closed pages' uploads removed.

    What "Home" shows is read in a thread beside the first requests, as the whole log of a ladder
    takes seconds.
    """
    del app
    component.register()
    Thread(target=home_data.read_ahead, daemon=True).start()
    sweeping = asyncio.create_task(_sweep())
    yield
    sweeping.cancel()
    with suppress(asyncio.CancelledError):
        await sweeping


async def _sweep() -> None:
    """Remove the uploaded files of closed pages, every SWEEP_SECONDS."""
    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        upload_room().sweep(get_instance().is_active_session)


OURS: Final[Sequence[BaseRoute]] = [
    *index_page.ROUTES,
    *news.ROUTES,
    *routes.ROUTES,
    *sdk.ROUTES,
    *feeds.ROUTES,
    *event_downloads.ROUTES,
    *kept_sign_in.ROUTES,
    *documentation.ROUTES,
]

app = st.App(
    Path(__file__).parents[1] / "streamlit_app.py",
    routes=OURS,
    middleware=[
        Middleware(_WithHeaders),
        Middleware(PageGate, OURS, read_settings().dashboard_url),
        Middleware(StaticFiles),
    ],
    lifespan=_prepared,
)
