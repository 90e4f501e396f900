"""`post`: sends one signed notice to a webhook, in the form that the webhook accepts.

The operator's webhooks of events may be anywhere. Owners, organisers included, are strangers:
their webhooks may only be on the public internet, never in the network of the arena.
"""

import json
import socket
import ssl
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from threading import Timer
from typing import Any, Final
from urllib.parse import urlsplit

from standardwebhooks import Webhook

from arena.moments import iso_utc
from arena.server.notices.notice import NoticeKind

ANSWER_SECONDS: Final = 10.0
"""Time limit for the connection, the request and the headers of the answer together."""
_MOST_OF_DISCORD: Final = 2_000
_UNICAST: Final = IPv6Network("2000::/3")
"""The global unicast range of IPv6. Addresses outside may map to addresses of IPv4."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """A notice that is due at a webhook."""

    notice_id: int
    webhook_id: int
    tries: int
    url: str
    secret: str
    public: bool
    """Whether it may be posted only to public addresses."""
    kind: NoticeKind
    at: datetime
    text: str
    data: Mapping[str, str]


Post = Callable[[Delivery, bytes, Mapping[str, str]], None]
"""Posts a body with headers to a webhook. Raises OSError or ValueError if it is not accepted."""


def body_of(one: Delivery) -> bytes:
    """Return the body to post; Discord and Slack get their own formats."""
    host = urlsplit(one.url).hostname or ""
    told: dict[str, Any]
    if host in ("discord.com", "discordapp.com"):
        told = {"content": one.text[:_MOST_OF_DISCORD], "allowed_mentions": {"parse": []}}
    elif host == "hooks.slack.com":
        told = {"text": one.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")}
    else:
        told = {
            "type": one.kind.type,
            "timestamp": iso_utc(one.at),
            "data": {**one.data, "text": one.text},
        }
    return json.dumps(told, ensure_ascii=False).encode()


def headers_of(one: Delivery, body: bytes) -> dict[str, str]:
    """Return the headers of a body, with its signature."""
    now = datetime.now(UTC)
    id_ = f"notice-{one.notice_id}"
    return {
        "Content-Type": "application/json",
        "User-Agent": "bluff-arena",
        "webhook-id": id_,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(one.secret).sign(id_, now, body.decode()),
    }


def post(one: Delivery, body: bytes, headers: Mapping[str, str]) -> None:
    """Post a body to a webhook; redirects are not followed.

    Raises OSError or HTTPException unless the server answers in time with a 2xx status.
    """
    place = urlsplit(one.url)
    path = (place.path or "/") + (f"?{place.query}" if place.query else "")
    connection = _Connection(place.hostname or "", place.port, place.scheme, public=one.public)
    # A socket's timeout applies to each read: an answer sent byte by byte would never time out.
    deadline = Timer(ANSWER_SECONDS, connection.give_up)
    deadline.start()
    try:
        connection.request("POST", path, body, dict(headers))
        answer = connection.getresponse()
    except (OSError, ValueError, HTTPException) as error:
        if connection.given_up:
            raise _late() from error
        raise
    finally:
        deadline.cancel()
        connection.close()
    if connection.given_up:  # a truncated answer may look complete
        raise _late()
    if not 200 <= answer.status < 300:
        raise OSError(f"answered {answer.status} {answer.reason}".rstrip())


def _late() -> OSError:
    return OSError(f"did not answer within {ANSWER_SECONDS:g} s")


class _Connection(HTTPConnection):
    """An HTTP or HTTPS connection, with `public` only to public addresses."""

    def __init__(self, host: str, port: int | None, scheme: str, *, public: bool) -> None:
        self.default_port = 443 if scheme == "https" else 80
        super().__init__(host, port or self.default_port, timeout=ANSWER_SECONDS)
        self._tls = ssl.create_default_context() if scheme == "https" else None
        self._public = public
        self.given_up = False
        """Whether it took too long."""

    def give_up(self) -> None:
        """End the connection, from another thread."""
        self.given_up = True
        sock = self.sock
        if sock is not None:
            with suppress(OSError):
                # Not the shutdown of the TLS socket, which would wait for the other side.
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def connect(self) -> None:
        # Connects to the addresses that it checks: a second look-up might return others.
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        addresses = list(dict.fromkeys(str(address[0]) for *_, address in found))
        if self._public and not all(map(is_public, addresses)):
            raise OSError(f"{self.host} is not on the public internet")
        self.sock = sock = self._reached(addresses)
        if self._tls is not None:
            self.sock = sock = self._tls.wrap_socket(
                sock, server_hostname=self.host, do_handshake_on_connect=False
            )
        if self.given_up:  # perhaps before there was a socket to shut down
            raise _late()
        if isinstance(sock, ssl.SSLSocket):
            sock.do_handshake()

    def _reached(self, addresses: Iterable[str]) -> socket.socket:
        """Return a connection to the first address that accepts one. Raises OSError."""
        failure = OSError(f"{self.host} has no address")
        for address in addresses:
            if self.given_up:
                break
            try:
                return socket.create_connection((address, self.port), self.timeout)
            except OSError as error:
                failure = error
        raise failure


def is_public(address: str) -> bool:
    """Return whether an address is one of the public internet."""
    found: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address) and (
        found not in _UNICAST or found.sixtofour is not None or found.teredo is not None
    ):
        return False
    return found.is_global and not found.is_multicast
