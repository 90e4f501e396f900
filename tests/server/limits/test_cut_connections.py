"""Which connections of a port are cut, look by look, at a time that the test sets."""

import os
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest

from arena.server.limits import connections as connections_module
from arena.server.limits.connections import MOST_SUSPECTED, Connections, raise_file_limit
from arena.server.limits.forwarding import on_behalf_of
from arena.server.limits.gate import Gate
from arena.server.limits.limits import Limits
from tests.service_calls import Call, Meter

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="only Linux lists the sockets of a process"
)


class Port:
    """A port, the guests that are connected to it, and who looks after it."""

    def __init__(self, stack: ExitStack, family: socket.AddressFamily, **limits: Any) -> None:
        self._stack = stack
        self._family = family
        self._host = "::1" if family is socket.AF_INET6 else "127.0.0.1"
        self.time = 1_000.0
        self._accepted: list[socket.socket] = []
        self.server = stack.enter_context(
            socket.create_server((self._host, 0), family=family, backlog=64)
        )
        self.connections = Connections(Limits(**limits), lambda: self.time)
        self.connections.port = self.server.getsockname()[1]
        self.connections.files = 10_000

    def guest(self, address: str = "") -> tuple[socket.socket, str]:
        """Another guest, by default of the port's own address, and its name as a peer."""
        address = address or self._host
        line = self._stack.enter_context(socket.socket(self._family))
        line.bind((address, 0))
        line.connect((self._host, self.connections.port))
        self._accepted.append(self._stack.enter_context(self.server.accept()[0]))
        line.setblocking(False)
        port = line.getsockname()[1]
        peer = f"ipv6:%5B::1%5D:{port}" if self._host == "::1" else f"ipv4:{address}:{port}"
        return line, peer

    def guests(self, count: int) -> list[socket.socket]:
        """As many guests, of whom each was seen before the next came."""
        lines = []
        for _ in range(count):
            lines.append(self.guest()[0])
            self.round()
        return lines

    def round(self) -> None:
        """Look through all files once, from the first on."""
        for _ in range(2):
            while not self._look():
                pass

    def _look(self) -> bool:
        over = self.connections.look()
        for line in self._accepted:
            with suppress(OSError):
                line.setblocking(False)
                if line.recv(1, socket.MSG_PEEK) == b"":
                    line.close()  # as gRPC closes a connection whose peer is gone
        return over


@contextmanager
def opened(family: socket.AddressFamily = socket.AF_INET, **limits: Any) -> Iterator[Port]:
    with ExitStack() as stack:
        yield Port(stack, family, **limits)


def cut(line: socket.socket) -> bool:
    """Whether the other side has closed it."""
    with suppress(BlockingIOError):
        return line.recv(1) == b""
    return False


def test_with_one_more_connection_than_an_address_may_have_the_oldest_is_cut() -> None:
    with opened(connections_an_address=3) as port:
        lines = port.guests(3)
        assert [cut(line) for line in lines] == [False] * 3
        lines += port.guests(1)
        assert [cut(line) for line in lines] == [True, False, False, False]
        assert port.connections.cuts == 1


def test_of_all_open_files_strangers_take_their_share() -> None:
    with opened(connections_an_address=100, strangers_share=0.5) as port:
        port.connections.files = 7
        lines = port.guests(4)
        assert [cut(line) for line in lines] == [True, False, False, False]


def test_a_connection_that_closed_makes_room() -> None:
    with opened(connections_an_address=2) as port:
        first, second = port.guests(2)
        first.close()
        port.round()
        (third,) = port.guests(1)
        assert [cut(second), cut(third), port.connections.cuts] == [False, False, 0]


def test_known_bots_are_no_strangers_however_many_streams_they_have() -> None:
    with opened(connections_an_address=1) as port:
        bot, peer = port.guest()
        port.connections.known(peer, 1)
        port.connections.known(peer, 1)
        port.round()
        stranger = port.guests(1)[0]
        port.connections.known(peer, -1)
        port.round()
        assert [cut(bot), cut(stranger)] == [False, False]
        port.connections.known(peer, -1)
        (other,) = port.guests(1)
        # The bot's connection is a stranger's again, and the youngest of them at that time.
        assert [cut(bot), cut(stranger), cut(other)] == [True, True, False]


def test_a_bot_that_becomes_known_is_not_cut_with_the_strangers_of_its_address() -> None:
    with opened(connections_an_address=1) as port:
        bot, peer = port.guest()
        port.round()
        port.connections.known(peer, 1)
        strangers = port.guests(2)
        assert [cut(bot), *map(cut, strangers)] == [False, True, False]


def test_a_stranger_sends_so_many_bytes_at_once_and_more_with_time() -> None:
    with opened(strangers_bytes_burst=1_000, strangers_bytes_per_second=100) as port:
        line, _ = port.guest()
        port.round()
        line.send(bytes(1_000))
        port.round()
        assert not cut(line)
        port.time += 5
        line.send(bytes(500))
        port.round()
        assert not cut(line)
        line.send(b"one more")
        port.round()
        assert cut(line)


@pytest.mark.parametrize("read", [False, True])
def test_what_waits_on_the_unix_socket_at_each_look_is_counted(read: bool, tmp_path: Path) -> None:
    connections = Connections(
        Limits(strangers_bytes_burst=1_000, strangers_bytes_per_second=100), lambda: 1_000.0
    )
    connections.socket, connections.files = str(tmp_path / "referee.sock"), 10_000
    with ExitStack() as stack:
        server, line = (stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(2))
        server.bind(connections.socket)
        server.listen()
        line.connect(connections.socket)
        accepted = stack.enter_context(server.accept()[0])
        line.setblocking(False)
        while not connections.look():
            pass
        for _ in range(5):
            line.send(bytes(100))
            if read:
                accepted.recv(1_000)
            connections.look_at_unread()
        assert cut(line) is not read


def test_a_file_that_is_another_by_now_is_not_counted(tmp_path: Path) -> None:
    connections = Connections(Limits(strangers_bytes_burst=1), lambda: 1_000.0)
    connections.socket, connections.files = str(tmp_path / "referee.sock"), 10_000
    with ExitStack() as stack:
        server, line = (stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(2))
        server.bind(connections.socket)
        server.listen()
        line.connect(connections.socket)
        accepted = stack.enter_context(server.accept()[0])
        while not connections.look():
            pass
        own, other = (stack.enter_context(one) for one in socket.socketpair())
        os.dup2(other.fileno(), accepted.fileno())
        own.send(bytes(100))
        connections.look_at_unread()
        assert connections.cuts == 0
        assert other.recv(1_000) == bytes(100)


def test_what_a_known_bot_sends_is_not_counted_when_it_is_a_stranger_again() -> None:
    with opened(strangers_bytes_burst=1_000, strangers_bytes_per_second=1) as port:
        line, peer = port.guest()
        port.round()
        port.connections.known(peer, 1)
        line.send(bytes(5_000))
        port.round()
        port.connections.known(peer, -1)
        port.round()
        assert not cut(line)
        line.send(bytes(1_001))
        port.round()
        assert cut(line)


@pytest.mark.parametrize("streams", [1, 3])
def test_a_known_connection_brings_three_times_what_its_streams_may(streams: int) -> None:
    with opened(bytes_burst=1_000, bytes_per_second=1, strangers_bytes_burst=1) as port:
        line, peer = port.guest()
        for _ in range(streams):
            port.connections.known(peer, 1)
        port.round()
        line.send(bytes(3_000 * streams))
        port.round()
        assert not cut(line)
        line.send(bytes(10 * streams))
        port.round()
        assert cut(line)


def test_a_further_stream_of_a_known_connection_does_not_begin_its_count_anew() -> None:
    with opened(bytes_burst=1_000, bytes_per_second=1) as port:
        line, peer = port.guest()
        port.connections.known(peer, 1)
        port.round()
        line.send(bytes(3_000))
        port.round()
        port.connections.known(peer, 1)
        port.connections.known(peer, -1)
        line.send(bytes(10))
        port.round()
        assert cut(line)


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_a_peer_is_cut_by_its_name(family: socket.AddressFamily) -> None:
    with opened(family) as port:
        line, peer = port.guest()
        other, _ = port.guest()
        port.connections.cut(peer)
        port.round()
        assert [cut(line), cut(other)] == [True, False]
        assert port.connections._to_cut == {}


def test_a_known_bot_is_not_cut_and_neither_is_one_that_became_known_meanwhile() -> None:
    with opened() as port:
        line, peer = port.guest()
        port.connections.known(peer, 1)
        port.connections.cut(peer)
        port.round()
        port.connections.known(peer, -1)
        port.connections.cut(peer)
        port.connections.known(peer, 1)
        port.round()
        assert not cut(line)


class FromDashboard(Call):
    """A call that a dashboard makes for a visitor."""

    def invocation_metadata(self) -> Sequence[tuple[str, str]]:
        return on_behalf_of("192.0.2.9", "shared")


def test_a_connection_of_the_dashboard_is_known_for_as_long_as_a_call_of_it_lasts() -> None:
    with opened() as port:
        gate = Gate(Limits(), Meter(), lambda: port.time, dashboard_secret="shared")
        gate.connections = port.connections
        line, peer = port.guest()
        port.round()
        for known in (True, False):
            with gate.calling(FromDashboard(address=peer)) if known else nullcontext():
                port.connections.cut(peer)
                port.round()
            assert cut(line) != known


def test_a_peer_that_is_nowhere_is_forgotten_after_a_round() -> None:
    with opened() as port:
        port.round()
        port.connections.cut("ipv4:192.0.2.1:1")
        assert len(port.connections._to_cut) == 1
        port.round()
        port.round()
        assert port.connections._to_cut == {}
        for number in range(MOST_SUSPECTED + 1):
            port.connections.cut(f"ipv4:192.0.2.1:{number}")
        assert len(port.connections._to_cut) == MOST_SUSPECTED


def test_a_round_begins_with_the_first_look_and_ends_when_all_files_were_seen() -> None:
    with opened() as port:
        assert not port.connections.look()
        port.round()
        assert not Connections(Limits(), lambda: 0.0).look()


def test_an_address_is_suspected_for_half_a_minute_after_a_cut() -> None:
    with opened() as port:
        _, peer = port.guest()
        assert not port.connections.suspected(peer)
        port.connections.cut(peer)
        port.round()
        port.time += 29.9
        assert port.connections.suspected("ipv4:127.0.0.1:1")
        assert not port.connections.suspected("ipv4:127.0.0.2:1")
        port.time += 0.1
        assert not port.connections.suspected(peer)


def test_each_suspected_address_has_half_a_minute_of_its_own() -> None:
    with opened() as port:
        peers = [port.guest(f"127.0.0.{number}")[1] for number in (1, 2)]
        for peer in peers:
            port.connections.cut(peer)
            port.round()
            port.time += 20
        assert [port.connections.suspected(peer) for peer in peers] == [False, True]


def test_other_ports_and_files_are_left_alone() -> None:
    with opened(connections_an_address=0) as port, ExitStack() as stack:
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        line = stack.enter_context(socket.create_connection(server.getsockname()))
        stack.enter_context(server.accept()[0])
        line.setblocking(False)
        port.round()
        assert not cut(line)
        assert port.connections.cuts == 0


@pytest.mark.parametrize(
    ("soft", "hard", "allowed", "asked"),
    [
        (1_024, 4_096, 4_096, (4_096, 4_096)),
        (1_024, 1_000_000, 65_536, (65_536, 1_000_000)),
        (1_024, -1, 65_536, (65_536, -1)),
        (4_096, 4_096, 4_096, None),
        (100_000, 200_000, 100_000, None),
        (-1, -1, 65_536, None),
    ],
)
def test_as_many_open_files_are_asked_for_as_a_referee_needs(
    monkeypatch: pytest.MonkeyPatch,
    soft: int,
    hard: int,
    allowed: int,
    asked: tuple[int, int] | None,
) -> None:
    resource, given = connections_module.resource, []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: given.append(limits))
    assert raise_file_limit() == allowed
    assert given == ([] if asked is None else [asked])


def test_a_system_that_refuses_more_files_leaves_those_it_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: int, limits: tuple[int, int]) -> None:
        raise ValueError

    monkeypatch.setattr(connections_module.resource, "getrlimit", lambda _: (1_024, 4_096))
    monkeypatch.setattr(connections_module.resource, "setrlimit", refuse)
    assert raise_file_limit() == 1_024
