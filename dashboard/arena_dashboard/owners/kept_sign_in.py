"""The cookie that keeps a browser signed in, and the tickets by which the browser gets it.

The cookie holds the key of a sign-in, which the referee ends on request or when the key has not
been used for long; no script can read it. A page's session communicates over a WebSocket, which
cannot set cookies. So the session makes the browser's script post a ticket, which is valid once and
for seconds, and the response sets or deletes the cookie. Neither key nor ticket is part of an
address, which the log of a proxy may hold.

A page that is reloaded before its ticket is used would lose the owner who has just signed in, and
for a new owner also the key needed to come back. So every browser has a visit cookie from its first
page on, which identifies it until then.
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
from arena_dashboard.owners.short_memory import ShortMemory

HEADER: Final = "X-Arena-Ticket"
"""The header of a ticket, which a page of another site cannot send."""
PATH: Final = "/signed-in"
VISIT: Final = "arena_visit"
"""The name of the visit cookie, which every browser has."""
TICKET_SECONDS: Final = 30.0
MOST_TICKETS: Final = 10_000
"""The most tickets that wait for their browsers, the newest."""
COOKIE_SECONDS: Final = 14 * 86_400
"""The seconds for which a browser keeps the cookie after its last visit.

The referee forgets an unused key after the same time.
"""


def cookie_name() -> str:
    """Return the cookie's name, which depends on the address of the referee that knows the key.

    A browser sends cookies to all ports of a host, so each arena on a machine has its own name.
    """
    referee = os.environ.get("ARENA_ADDRESS", "").strip()
    return f"arena_sign_in_{sha256(referee.encode()).hexdigest()[:12]}"


def key_of_browser() -> str:
    """Return the key that the visitor's browser has kept; "" if it has none."""
    return st.context.cookies.get(cookie_name()) or ""


def visit() -> str:
    """Return the visit id of the visitor's browser; "" if it has no cookies."""
    return st.context.cookies.get(VISIT) or ""


class Tickets:
    """The keys that browsers will keep, by ticket. Threads may share it."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, most: int = MOST_TICKETS
    ) -> None:
        self._waiting = ShortMemory[tuple[str, str | None]](TICKET_SECONDS, most, clock)
        self._newest = ShortMemory[str](TICKET_SECONDS, most, clock)
        """The ticket issued last, by visit."""

    def issue(self, key: str, instead_of: str | None = None, visit: str = "") -> str:
        """Return a new ticket, by which a browser keeps `key`, or with "" drops its key.

        With `instead_of`, the ticket has an effect only in a browser that still has that key:
        another tab may have signed in again meanwhile.
        """
        ticket = secrets.token_urlsafe(32)
        self._waiting.put(ticket, (key, instead_of))
        if visit and instead_of in (None, self.pending(visit)):
            self._newest.put(visit, ticket)
        return ticket

    def pending(self, visit: str) -> str:
        """Return the key of the visit's latest unused ticket; "" if there is none."""
        found = self._waiting.get(self._newest.get(visit))
        return "" if found is None else found[0]

    def redeem(self, ticket: str, has: str = "") -> str | None:
        """Use up a ticket; return the key that a browser with the key `has` keeps from now on.

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
    """Set a visit cookie if the browser has none; the browser keeps it until it is closed."""
    if VISIT not in request.cookies:
        made, secure = secrets.token_urlsafe(32), _secure(request)
        response.set_cookie(VISIT, made, secure=secure, httponly=True, samesite="lax")


def _secure(request: Request) -> bool:
    public = read_settings().dashboard_url or ""
    return request.url.scheme == "https" or public.startswith("https://")


ROUTES: Final = (Route(PATH, _keep, methods=["POST"]),)
