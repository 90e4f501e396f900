"""Hosts and ports as text."""

from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest

from arena.addresses import bare_host, host_port, network_of, on_loopback
from arena.bot.address import Address, AddressError
from arena.settings import Settings
from tests.free_port import free_port


@pytest.mark.parametrize(
    ("host", "text"),
    [
        ("127.0.0.1", "127.0.0.1:1"),
        ("play.example.org", "play.example.org:1"),
        ("::1", "[::1]:1"),
        ("[::1]", "[::1]:1"),
        ("2001:db8::7", "[2001:db8::7]:1"),
        ("fe80::1%eth0", "[fe80::1%eth0]:1"),
    ],
)
def test_ipv6_addresses_are_in_brackets_before_a_port(host: str, text: str) -> None:
    assert host_port(host, 1) == text


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("localhost", True),
        ("LOCALHOST.", True),
        ("bots.localhost", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("[::1]", True),
        ("::ffff:127.0.0.1", True),
        ("::", False),
        ("0.0.0.0", False),
        ("192.0.2.1", False),
        ("localhost.example.org", False),
        ("", False),
    ],
)
def test_names_and_addresses_of_this_machine_are_known(host: str, here: bool) -> None:
    assert on_loopback(host) is here


def test_a_network_of_64_bits_is_one_visitor() -> None:
    assert network_of("2001:db8:1:2:3::4") == network_of("2001:db8:1:2::9") == "2001:db8:1:2::"
    assert network_of("2001:db8:1:3::9") == "2001:db8:1:3::"
    assert network_of("::ffff:192.0.2.7") == network_of("192.0.2.7") == "192.0.2.7"
    assert network_of("") == ""


def test_settings_take_an_ipv6_host_with_brackets_or_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for host in ("::1", "[::1]"):
        monkeypatch.setenv("ARENA_HOST", host)
        assert bare_host(host) == Settings().host == "::1"


def test_an_address_of_a_referee_may_be_of_ipv6() -> None:
    for text in ("[::1]:50051", "http://[::1]:50051", "[2001:db8::7]:50051"):
        assert Address.parse(text, {}).target == text.removeprefix("http://")
    for text in ("::1:50051", "2001:db8::7:50051", "[::1:50051"):
        with pytest.raises(AddressError, match=r"as \[::1\]:50051"):
            Address.parse(text, {})


@pytest.mark.parametrize("variable", ["http_proxy", "https_proxy", "grpc_proxy"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_referee_on_this_machine_is_reached_without_the_proxy_that_is_set(
    monkeypatch: pytest.MonkeyPatch, variable: str, host: str
) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv(variable, f"http://127.0.0.1:{free_port()}")
    server = grpc.server(ThreadPoolExecutor(1))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with Address.parse(f"{host}:{port}", {}).channel() as channel:
            grpc.channel_ready_future(channel).result(20)
    finally:
        server.stop(0)
