"""Owners' webhooks are posted to on the public internet alone; texts cannot call for attention."""

import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from typing import Any

import pytest

from arena.server.notices import posting
from arena.server.notices.notice import NoticeKind
from arena.server.notices.posting import Delivery, body_of, headers_of, post
from tests.bots import PATIENCE
from tests.server.notices.test_delivery import listening


def delivery(url: str, *, public: bool, text: str = "It is so.") -> Delivery:
    return Delivery(
        *(1, 1, 0, url, "whsec_c2VjcmV0", public, NoticeKind.ACCEPTED, datetime.now(UTC), text),
        {"bot": "mine"},
    )


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "localhost", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.169.254"),
        *("0.0.0.0", "100.64.0.1", "224.0.0.1", "[::1]", "[fe80::1]", "[fd00::1]", "2130706433"),
        *("[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "0x7f.1"),
    ],
)
def test_an_owners_webhook_in_a_private_network_is_never_connected_to(host: str) -> None:
    one = delivery(f"http://{host}:9/hook", public=True)
    with pytest.raises(OSError, match="is not on the public internet"):
        post(one, body_of(one), headers_of(one, body_of(one)))


@pytest.mark.parametrize(("scheme", "port"), [("http", 80), ("https", 443)])
def test_an_address_without_a_port_has_that_of_its_scheme(scheme: str, port: int) -> None:
    assert posting._Connection("example.org", None, scheme, public=True).port == port
    assert posting._Connection("example.org", 8_080, scheme, public=True).port == 8_080


def test_an_organisers_webhook_may_be_beside_the_arena() -> None:
    with listening(204) as (url, posted):
        one = delivery(url, public=False)
        post(one, body_of(one), headers_of(one, body_of(one)))
    assert json.loads(posted[0])["data"] == {"bot": "mine", "text": "It is so."}
    with listening(204) as (url, posted):
        one = delivery(url, public=True)
        with pytest.raises(OSError, match="public"):
            post(one, body_of(one), headers_of(one, body_of(one)))
    assert posted == []


def test_a_name_in_a_text_mentions_nobody() -> None:
    text = "Version 1 of <!channel> & @everyone is accepted."
    slack = json.loads(body_of(delivery("https://hooks.slack.com/x", public=True, text=text)))
    assert slack == {"text": "Version 1 of &lt;!channel&gt; &amp; @everyone is accepted."}
    discord = json.loads(body_of(delivery("https://discord.com/x", public=True, text=text)))
    assert discord == {"content": text, "allowed_mentions": {"parse": []}}


def test_an_answer_that_comes_a_byte_at_a_time_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(posting, "ANSWER_SECONDS", 0.3)
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as thread:

        def dribble() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\n")
                while not over.wait(0.05):
                    with suppress(OSError):
                        connection.sendall(b"X: y\r\n")

        dribbling = thread.submit(dribble)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/"
        try:
            with pytest.raises(OSError, match=r"did not answer within 0\.3 s"):
                posting.post(delivery(address, public=False), b"{}", {})
        finally:
            over.set()
        dribbling.result(PATIENCE)


def test_of_a_host_with_several_addresses_none_is_waited_for_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(posting, "ANSWER_SECONDS", 0.3)
    known = socket.getaddrinfo

    def several_for_the_host(host: str, *rest: Any, **how: Any) -> Any:
        addresses = [f"127.0.0.{number}" for number in (1, 2, 3)]
        named = addresses if host == "several.example" else [host]
        return [found for one in named for found in known(one, *rest, **how)]

    monkeypatch.setattr(socket, "getaddrinfo", several_for_the_host)
    with socket.create_server(("0.0.0.0", 0), backlog=0) as full, ExitStack() as waiting:
        port = full.getsockname()[1]
        for _ in range(4):  # more than the queue of connections takes
            client = waiting.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", port))
        with pytest.raises(OSError, match=r"did not answer within 0\.3 s"):
            post(delivery(f"http://several.example:{port}/", public=False), b"{}", {})
