"""The TCP connections to the referee's port: who may have how many, and cutting one.

gRPC tells nothing of a connection before its first call and closes none. So the open sockets of
this process are looked through once a second, and one that takes too much is shut down: gRPC sees
that the peer is gone. A connection is known while a bot that sent its token and hello plays over
it; all others are strangers'. Only Linux lists a process's sockets; elsewhere nothing is cut.
"""

import asyncio
import os
import resource
import socket
import sys
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import unquote

import structlog

from arena.referee.limits import Bucket, Limits

LOOK_SECONDS: Final = 1.0
CUT_SECONDS: Final = 0.05
"""How soon connections that are to be cut are: one look finds all of them."""
SUSPECTED_SECONDS: Final = 30.0
"""For so long after a connection was cut, the next from its address is cut at its first refusal."""
MOST_SUSPECTED: Final = 1_000
FILES_WANTED: Final = 65_536
"""Open files that are asked for, where the hard limit is higher still."""

_FILES = "/proc/self/fd"
_TCP_INFO_BYTES = 136
_BYTES_RECEIVED = slice(128, 136)
"""Where Linux's `struct tcp_info` holds tcpi_bytes_received."""

log = structlog.get_logger()


def raise_file_limit() -> int:
    """Allow this process as many open files as it may have; returns how many that are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_WANTED if hard == resource.RLIM_INFINITY else min(hard, FILES_WANTED)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # macOS has a lower limit than it tells
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return wanted
    return wanted if soft == resource.RLIM_INFINITY else soft


def address_of(peer: str) -> str:
    """The address of a peer as gRPC names it, without its port. Of IPv6 it is the network of 64
    bits, which one guest usually has to itself."""
    kind, _, rest = unquote(peer).partition(":")
    host = rest.rpartition(":")[0].strip("[]").partition("%")[0]
    if kind != "ipv6":
        return host or kind
    address = ip_address(host)
    mapped = getattr(address, "ipv4_mapped", None)
    if mapped is not None:
        return str(mapped)
    return str(ip_address(int(address) >> 64 << 64))


_UNKNOWN: Final = -1


@dataclass(slots=True, eq=False)
class _Connection:
    peer: str
    address: str
    family: int
    received: int
    """Bytes so far when last looked at, or _UNKNOWN."""
    bucket: Bucket


class Connections:
    """The connections to one port."""

    def __init__(self, limits: Limits, now: Callable[[], float]) -> None:
        self._limits = limits
        self._now = now
        self.port = 0
        """The port; nothing is looked at before it is set."""
        self.files = 0
        """How many files this process may open."""
        self._known: Counter[str] = Counter()
        """Streams of known bots, by peer."""
        self._open: dict[str, _Connection] = {}
        """By the kernel's name of the socket, oldest first."""
        self._to_cut: set[str] = set()
        self._suspected: deque[tuple[float, str]] = deque(maxlen=MOST_SUSPECTED)
        self._cut_soon = asyncio.Event()
        self.cuts = 0
        """How many were cut."""

    def known(self, peer: str, streams: int) -> None:
        """A known bot has one stream more (1) or less (-1) over this peer's connection."""
        self._known[peer] += streams
        if not self._known[peer]:
            del self._known[peer]

    def suspected(self, peer: str) -> bool:
        """Whether a connection of this address was cut a moment ago."""
        now = self._now()
        while self._suspected and self._suspected[0][0] <= now:
            self._suspected.popleft()
        address = address_of(peer)
        return any(address == one for _, one in self._suspected)

    def cut(self, peer: str) -> None:
        """Cut the connection of a peer soon, unless a known bot plays over it."""
        if peer not in self._known and len(self._to_cut) < MOST_SUSPECTED:
            self._to_cut.add(peer)
            self._cut_soon.set()

    async def watch(self) -> None:
        """Raise the limit of open files and look after the connections, until cancelled."""
        self.files = raise_file_limit()
        if not sys.platform.startswith("linux"):
            return
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._cut_soon.wait()
                    await asyncio.sleep(CUT_SECONDS)
            self._cut_soon.clear()
            if self.port:
                try:
                    self.look()
                except Exception:  # the arena plays on without it
                    log.exception("connections not looked at")

    def look(self) -> None:
        """Look at all connections once, and cut those that are too many or take too much."""
        files = dict(self._sockets())
        for name in self._open.keys() - files.keys():
            del self._open[name]
        too_much = [name for name in files if self._takes_too_much(name, files[name])]
        for name in {*too_much, *self._too_many()}:
            self._shut_down(name, files[name])
        self._to_cut.clear()

    def _sockets(self) -> Iterator[tuple[str, int]]:
        """The kernel's names of the sockets of connections to our port, and their files."""
        for file in self._all_files():
            try:
                # Thousands of times: without the objects of pathlib.
                name = os.readlink(f"{_FILES}/{file}")  # noqa: PTH115
            except OSError:
                continue
            if name.startswith("socket:") and (name in self._open or self._found(name, int(file))):
                yield name, int(file)

    def _all_files(self) -> Iterable[str]:
        try:
            return os.listdir(_FILES)  # noqa: PTH208  as above
        except OSError:  # it needs a file itself, and all are taken
            return map(str, range(self.files))

    def _found(self, name: str, file: int) -> bool:
        with suppress(OSError), _borrowed(file) as line:
            if line.family in (socket.AF_INET, socket.AF_INET6) and (
                line.getsockname()[1] == self.port
            ):
                host, port = line.getpeername()[:2]
                peer = f"ipv4:{host}:{port}"
                if line.family == socket.AF_INET6:
                    mapped = ip_address(host.partition("%")[0]).ipv4_mapped  # type: ignore[union-attr]
                    peer = f"ipv4:{mapped}:{port}" if mapped else f"ipv6:%5B{host}%5D:{port}"
                limits = self._limits
                bucket = Bucket(limits.strangers_bytes_burst, limits.strangers_bytes_per_second)
                self._open[name] = _Connection(peer, address_of(peer), line.family, 0, bucket)
                return True
        return False

    def _takes_too_much(self, name: str, file: int) -> bool:
        connection = self._open[name]
        if connection.peer in self._known:
            connection.received = _UNKNOWN  # what it sent as a known bot does not count later
            return False
        if connection.peer in self._to_cut:
            return True
        try:
            with _borrowed(file, connection.family) as line:
                told = line.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_BYTES)
        except OSError:
            return False
        received = int.from_bytes(told[_BYTES_RECEIVED], sys.byteorder)
        before = received if connection.received == _UNKNOWN else connection.received
        more, connection.received = received - before, received
        return connection.bucket.take(self._now(), more) > 0

    def _too_many(self) -> list[str]:
        """The oldest of an address that has too many, and of all strangers."""
        strangers = [
            (name, one.address) for name, one in self._open.items() if one.peer not in self._known
        ]
        by_address: dict[str, list[str]] = defaultdict(list)
        for name, address in strangers:
            by_address[address].append(name)
        most = self._limits.connections_an_address
        cut = [name for names in by_address.values() for name in names[: max(0, len(names) - most)]]
        left = len(strangers) - len(cut)
        most = int(self.files * self._limits.strangers_share)
        if left > most:
            gone = set(cut)
            cut += [name for name, _ in strangers if name not in gone][: left - most]
        return cut

    def _shut_down(self, name: str, file: int) -> None:
        connection = self._open.pop(name)
        with suppress(OSError), _borrowed(file, connection.family) as line:
            # The file may have been closed and opened as another since it was listed.
            if f":{line.getpeername()[1]}" in connection.peer[-6:]:
                line.shutdown(socket.SHUT_RDWR)
                self.cuts += 1
                until = self._now() + SUSPECTED_SECONDS
                self._suspected.append((until, connection.address))


@contextmanager
def _borrowed(file: int, family: int = -1) -> Iterator[socket.socket]:
    """The socket of a file that stays gRPC's. Raises OSError if it is none.

    Not a copy: there may be no file left for one.
    """
    kind = socket.SOCK_STREAM if family > 0 else -1
    line = socket.socket(family, kind, -1, fileno=file)
    try:
        yield line
    finally:
        line.detach()
