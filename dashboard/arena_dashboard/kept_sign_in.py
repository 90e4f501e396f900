"""The cookie by which a browser stays signed in, and the tickets by which it gets it.

The cookie holds the key of a sign-in, which the referee ends when it is asked to or when it is not
used for long; no script can read it. A page's session speaks over a WebSocket, which sets no
cookies: it has the browser's script post a ticket, of use once and for seconds, and the response
sets the cookie or takes it away. Key and ticket are in no address, which the log of a proxy may
hold.

A page that is loaded again before that would forget who has just signed in, and with a new owner's
key also how to come back. So every browser has a cookie from its first page on, by which it is
known until its ticket is used.
"""

import os
import secrets
import time
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from typing import Final

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.settings import read_settings
from arena_dashboard.short_memory import ShortMemory

HEADER: Final = "X-Arena-Ticket"
"""A header that a page of another site cannot send."""
PATH: Final = "/signed-in"
VISIT: Final = "arena_visit"
"""The cookie that every browser has."""
TICKET_SECONDS: Final = 30.0
MOST_TICKETS: Final = 10_000
"""Tickets that wait for their browser, the newest."""
COOKIE_SECONDS: Final = 14 * 86_400
"""How long a browser keeps the cookie after its last visit; the referee forgets the key as soon."""


def cookie_name() -> str:
    """Return the cookie's name: of the referee that knows the key.

    A browser sends cookies to all ports of a host, so several arenas on a machine each have their
    own.
    """
    referee = os.environ.get("ARENA_ADDRESS", "").strip()
    return f"arena_sign_in_{sha256(referee.encode()).hexdigest()[:12]}"


def key_of_browser() -> str:
    """Return the key that the visitor's browser has kept; "" without one."""
    return st.context.cookies.get(cookie_name()) or ""


def visit() -> str:
    """Return by what the visitor's browser is known; "" if it has no cookies."""
    return st.context.cookies.get(VISIT) or ""


class Tickets:
    """What browsers are to keep, by ticket. Threads may share it."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, most: int = MOST_TICKETS
    ) -> None:
        self._waiting = ShortMemory[tuple[str, str | None]](TICKET_SECONDS, most, clock)
        self._newest = ShortMemory[str](TICKET_SECONDS, most, clock)
        """By visit, the ticket issued last."""

    def issue(self, key: str, instead_of: str | None = None, visit: str = "") -> str:
        """Return a ticket for a key, or for "" to keep none.

        With `instead_of` only for a browser that has that key: another tab may have signed in anew
        meanwhile.
        """
        ticket = secrets.token_urlsafe(32)
        self._waiting.put(ticket, (key, instead_of))
        if visit and instead_of in (None, self.pending(visit)):
            self._newest.put(visit, ticket)
        return ticket

    def pending(self, visit: str) -> str:
        """Return the key that the browser of this visit is to keep and does not yet.

        "" without one.
        """
        found = self._waiting.get(self._newest.get(visit))
        return "" if found is None else found[0]

    def redeem(self, ticket: str, has: str = "") -> str | None:
        """Return what a browser that has the key `has` is to keep from now on.

        None if the ticket is unknown, used or too old.
        """
        found = self._waiting.take(ticket)
        if found is None:
            return None
        key, instead_of = found
        return key if instead_of in (None, has) else has


@cache
def tickets() -> Tickets:
    """Return the tickets of this process."""
    return Tickets()


async def _keep(request: Request) -> Response:
    has = request.cookies.get(cookie_name(), "")
    key = tickets().redeem(request.headers.get(HEADER, ""), has)
    if key is None:
        return Response(status_code=404)
    response = Response(status_code=204, headers={"Cache-Control": "no-store"})
    response.set_cookie(
        cookie_name(),
        key,
        max_age=COOKIE_SECONDS if key else 0,
        secure=_secure(request),
        httponly=True,
        samesite="strict",
    )
    return response


def know_again(request: Request, response: Response) -> None:
    """Have the browser keep by what it is known, until it is closed."""
    if VISIT not in request.cookies:
        made, secure = secrets.token_urlsafe(32), _secure(request)
        response.set_cookie(VISIT, made, secure=secure, httponly=True, samesite="lax")


def _secure(request: Request) -> bool:
    public = read_settings().dashboard_url or ""
    return request.url.scheme == "https" or public.startswith("https://")


ROUTES: Final = (Route(PATH, _keep, methods=["POST"]),)
