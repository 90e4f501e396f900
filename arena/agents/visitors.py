"""`visited`: wraps an HTTP app so that it knows the address of each request and limits wrong keys.

Behind a proxy on this machine the address is that of `X-Forwarded-For`, as uvicorn reads it.
"""

import math
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.addresses import network_of
from arena.server.limits.limits import Buckets

WRONG_KEYS: Final = 10
"""The wrong keys that an address may send at once; fewer than the referee accepts from this
machine, so that one address does not use up the quota of the others."""
WRONG_KEYS_PER_SECOND: Final = 0.05
"""The rate at which an address regains them."""


@dataclass(slots=True)
class Visitor:
    """The sender of the request that is being answered."""

    address: str
    wait: float = 0.0
    """The seconds after which it may try a key again; 0 if it may now."""


_VISITOR: Final[ContextVar[Visitor]] = ContextVar("visitor")


def visitor() -> Visitor:
    """Return the sender of the request that is being answered; this machine without `visited`."""
    return _VISITOR.get(Visitor("127.0.0.1"))


class WrongKeys:
    """The number of wrong keys from each address; with IPv6, from each network of 64 bits."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._sent: Buckets[str] = Buckets(WRONG_KEYS, WRONG_KEYS_PER_SECOND)

    def begin(self) -> bool:
        """Count a key before it is tried; return False and set the visitor's `wait` if too many."""
        one = visitor()
        one.wait = self._sent.take(network_of(one.address), self._now())
        return not one.wait

    def was_right(self) -> None:
        """Take the count of the last `begin` back."""
        self._sent.put_back(network_of(visitor().address))


def visited(app: ASGIApp) -> ASGIApp:
    """Return an app that knows each request's visitor, and tells one that must wait how long."""

    async def known(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        one = Visitor(_address(scope))
        _VISITOR.set(one)

        async def unless_it_waits(message: Message) -> None:
            if not one.wait:
                await send(message)

        await app(scope, receive, unless_it_waits)
        if one.wait:
            seconds = math.ceil(one.wait)
            await PlainTextResponse(
                f"Too many wrong keys came from this address: come back in {seconds} s.\n",
                429,
                {"Retry-After": str(seconds)},
            )(scope, receive, send)

    return known


def _address(scope: Scope) -> str:
    """Return the address of a request; 0.0.0.0 if its header holds no address."""
    host = str((scope["client"] or ("",))[0]).partition("%")[0]
    try:
        return str(ip_address(host))
    except ValueError:
        return "0.0.0.0"  # noqa: S104  nothing listens there
