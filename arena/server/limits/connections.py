"""The connections to the referee: limits of their number and bytes, and how one is cut.

gRPC reports nothing about a connection before its first call, and cannot close one. So the referee
looks through the open files of its process, a few at a time in repeated rounds, and shuts down a
connection that takes too much; gRPC then sees that the peer is gone. A connection is known while a
bot that sent its token and hello plays over it; all others are strangers'. A known connection that
brings far more bytes than its streams may must carry frames of no stream, such as pings. Only Linux
lists a process's files; elsewhere nothing is cut.

Connections over the Unix socket come from programs on this machine, and each of their processes
may have a few. gRPC does not tell them apart, so none of them is known. The kernel does not count
their bytes, but reports how many wait to be read. This is looked at often, and the bytes found
waiting are counted: a flood that costs the referee more than its sender is found waiting again and
again.
"""

import asyncio
import math
import os
import resource
import socket
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fcntl import ioctl
from itertools import islice
from stat import S_ISSOCK
from termios import FIONREAD
from typing import Final

import structlog

from arena.server.limits.limits import Bucket, Limits
from arena.server.limits.peers import PROCESS, address_of, process_of, tcp_peer
from arena.server.limits.spare_file import SpareFile
from arena.server.limits.unknown_connections import UnknownConnections
from arena.server.limits.waiting_calls import WaitingCalls

ROUND_SECONDS: Final = 1.0
"""The pause between two rounds through all files."""
LOOK_SECONDS: Final = 0.05
"""The pause between looks of a round or at the Unix socket, and before connections are cut."""
FILES_A_LOOK: Final = 200
"""The most files of one look, which takes about a millisecond of the event loop."""
SUSPECTED_SECONDS: Final = 30.0
"""After a connection is cut, others from its address are cut, for this time, at a refusal without
delay."""
MOST_SUSPECTED: Final = 1_000
OVERHEAD: Final = 3
"""How many times the bytes of its streams a known connection may bring, for frames and headers."""
MOST_FAILURES: Final = 20
"""The number of failed looks in a row after which the connections are watched no more."""
FILES_WANTED: Final = 65_536
"""The limit of open files to ask for, if the hard limit is not lower."""

_FILES = "/proc/self/fd"
_TCP_INFO_BYTES = 136
_BYTES_RECEIVED = slice(128, 136)
"""Where Linux's `struct tcp_info` holds tcpi_bytes_received."""

log = structlog.get_logger()


def raise_file_limit() -> int:
    """Raise this process's limit of open files to FILES_WANTED if possible; return the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_WANTED if hard == resource.RLIM_INFINITY else min(hard, FILES_WANTED)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # macOS has a lower limit than it reports
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return wanted
    return wanted if soft == resource.RLIM_INFINITY else soft


class _Borrowed(socket.socket):
    """The socket of a file that belongs to gRPC: leaving the context does not close it."""

    __slots__ = ()

    def __exit__(self, *_: object) -> None:
        self.detach()


@dataclass(slots=True, eq=False)
class _Connection:
    file: int
    inode: int
    """Identifies a socket together with the file's number, which may be reused."""
    peer: str
    address: str
    family: int
    bucket: Bucket
    received: int | None = 0
    """The bytes so far at the last look; None if the count has been restarted since."""
    round: int = 0
    """The round in which it was last seen."""


class Connections:
    """The connections to one port. The work of one look does not grow with their number."""

    def __init__(self, limits: Limits, now: Callable[[], float]) -> None:
        self._limits = limits
        self._now = now
        self.port = 0
        """The port; nothing is looked at before it is set."""
        self.socket: str | None = None
        """The path of the Unix socket, if there is one."""
        self.files = 0
        """How many files this process may open."""
        self._known: Counter[str] = Counter()
        """Streams of known bots, by peer."""
        self._by_file: dict[int, _Connection] = {}
        """In the order in which they were last seen."""
        self._by_peer: dict[str, _Connection] = {}
        self._unknown = UnknownConnections[_Connection]()
        self._unread: deque[_Connection] = deque()
        """Connections over the Unix socket, in the order in which they are looked at."""
        self._round = 0
        self._rest: Iterator[int] = iter(())
        """The files that are left to look at in this round."""
        self._to_cut: dict[str, int] = {}
        """Peers whose connections are to be cut, and the round in which `cut` was called."""
        self._suspected: deque[tuple[float, str]] = deque(maxlen=MOST_SUSPECTED)
        self._spare = SpareFile()
        self.waiting = WaitingCalls(limits, self.cut, now)
        self.cuts = 0
        """How many connections were cut so far."""

    def known(self, peer: str, streams: int) -> None:
        """Count one stream more (1) or less (-1) of a known bot over this peer's connection."""
        before = self._known[peer]
        self._known[peer] += streams
        connection = self._by_peer.get(peer)
        if not self._known[peer]:
            del self._known[peer]
            if connection is not None:
                self._unknown.add(connection.address, connection)
                self._count_anew(connection)
        elif connection is not None and not before:
            self._unknown.discard(connection.address, connection)
            self._count_anew(connection)

    def suspected(self, peer: str) -> bool:
        """Whether a connection from this peer's address was cut a moment ago."""
        now = self._now()
        while self._suspected and self._suspected[0][0] <= now:
            self._suspected.popleft()
        address = address_of(peer)
        return any(address == one for _, one in self._suspected)

    def cut(self, peer: str) -> None:
        """Cut the connection of a peer soon, unless a known bot plays over it."""
        if peer not in self._known and len(self._to_cut) < MOST_SUSPECTED:
            self._to_cut[peer] = self._round

    async def watch(self) -> None:
        """Raise the limit of open files and watch the connections, until cancelled.

        Returns early where this does not work: elsewhere than on Linux, and, with an entry in the
        log, after MOST_FAILURES. The other limits stay.
        """
        self.files = raise_file_limit()
        if not sys.platform.startswith("linux"):
            return
        next_round, failures = -math.inf, 0
        while failures < MOST_FAILURES:
            await asyncio.sleep(LOOK_SECONDS)
            if not self.port:
                continue
            try:
                self.look_at_unread()
                self.waiting.look()
                if self._to_cut or self._now() >= next_round:
                    over = self.look()
                    next_round = self._now() + ROUND_SECONDS if over else -math.inf
                failures = 0
            except Exception:  # the arena plays on without it
                log.exception("connections not looked at")
                failures += 1
        log.error("connections are watched no more: put a proxy in front (docs/expose-an-arena.md)")

    def look(self) -> bool:
        """Look at the next files, and cut connections that are too many or take too much.

        Returns whether that was the end of a round.
        """
        for peer in [peer for peer in self._to_cut if peer in self._by_peer]:
            del self._to_cut[peer]
            if peer not in self._known:
                self._shut_down(self._by_peer[peer])
        files = list(islice(self._rest, FILES_A_LOOK))
        for file in files:
            self._look_at(file)
        if len(files) == FILES_A_LOOK:
            return False
        # Connections that were not seen in this round are in front.
        while self._by_file and (first := next(iter(self._by_file.values()))).round < self._round:
            self._forget(first)
        self._to_cut = {peer: told for peer, told in self._to_cut.items() if told == self._round}
        self._round += 1
        self._rest = self._all_files()
        return len(files) > 0

    def look_at_unread(self) -> None:
        """Count the bytes that wait on the next connections over the Unix socket.

        Connections that take too much are cut. Bytes that still wait at the next look count again.
        """
        for _ in range(min(len(self._unread), FILES_A_LOOK)):
            connection = self._unread.popleft()
            if self._by_file.get(connection.file) is connection:
                self._unread.append(connection)
                waiting = _unread_bytes(connection)
                if waiting and connection.bucket.take(self._now(), waiting):
                    self._shut_down(connection)

    def _all_files(self) -> Iterator[int]:
        try:
            with os.scandir(_FILES) as files:
                for file in files:
                    yield int(file.name)
        except OSError:  # scandir needs a file itself, and none is free
            yield from range(self.files)

    def _look_at(self, file: int) -> None:
        try:
            status = os.fstat(file)
        except OSError:
            return
        connection = self._by_file.get(file)
        if connection is not None and connection.inode != status.st_ino:
            self._forget(connection)
            connection = None
        if connection is None:
            connection = self._found(file, status.st_ino) if S_ISSOCK(status.st_mode) else None
        if connection is not None:
            connection.round = self._round
            self._by_file[file] = self._by_file.pop(file, connection)
            unwanted = connection.peer in self._to_cut and connection.peer not in self._known
            if unwanted or self._takes_too_much(connection):
                self._shut_down(connection)

    def _found(self, file: int, inode: int) -> _Connection | None:
        with suppress(OSError), _Borrowed(fileno=file) as line:
            peer, address = "", ""
            if line.family in (socket.AF_INET, socket.AF_INET6):
                if line.getsockname()[1] == self.port:
                    peer = tcp_peer(line)
                    address = address_of(peer)
            elif line.family == socket.AF_UNIX and line.getsockname() == self.socket:
                peer, address = f"unix:{inode}", process_of(line)
            if peer:
                found = _Connection(file, inode, peer, address, line.family, self._bucket(peer))
                self._by_file[file] = self._by_peer[peer] = found
                if line.family == socket.AF_UNIX:
                    self._unread.append(found)
                if peer not in self._known:
                    self._unknown.add(address, found)
                    self._cut_surplus(found)
                return found
        return None

    def _count_anew(self, connection: _Connection) -> None:
        """Restart the byte count, because known connections and strangers have other limits."""
        connection.bucket = self._bucket(connection.peer)
        connection.received = None

    def _bucket(self, peer: str) -> Bucket:
        """Return a bucket for the bytes of a connection; for a known one, per stream."""
        limits = self._limits
        if peer in self._known:
            return Bucket(OVERHEAD * limits.bytes_burst, OVERHEAD * limits.bytes_per_second)
        return Bucket(limits.strangers_bytes_burst, limits.strangers_bytes_per_second)

    def _takes_too_much(self, connection: _Connection) -> bool:
        if connection.family == socket.AF_UNIX:
            return False  # see look_at_unread
        # With the kind given, Python does not query it, which halves the time of each look.
        kind = connection.family, socket.SOCK_STREAM, socket.IPPROTO_TCP
        try:
            with _Borrowed(*kind, connection.file) as line:
                told = line.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_BYTES)
        except OSError:
            return False
        received = int.from_bytes(told[_BYTES_RECEIVED], sys.byteorder)
        before = received if connection.received is None else connection.received
        more, connection.received = received - before, received
        streams = max(1, self._known[connection.peer])
        return connection.bucket.take(self._now(), more / streams) > 0

    def _cut_surplus(self, newest: _Connection) -> None:
        """Cut the oldest while the address of `newest`, or all strangers, have too many."""
        unknown, limits = self._unknown, self._limits
        most = limits.connections_an_address
        if newest.address.startswith(PROCESS):
            most = limits.connections_a_process
        while unknown.count(newest.address) > most:
            self._shut_down(unknown.oldest(newest.address))
        while len(unknown) > int(self.files * limits.strangers_share):
            self._shut_down(unknown.oldest())

    def _forget(self, connection: _Connection) -> None:
        self._by_file.pop(connection.file, None)
        if self._by_peer.get(connection.peer) is connection:
            del self._by_peer[connection.peer]
        self._unknown.discard(connection.address, connection)

    def _shut_down(self, connection: _Connection) -> None:
        self._forget(connection)
        with suppress(OSError), self._spare.copy_of(connection.file) as copy:
            # gRPC may have closed the file, and its number may be another's now: a database's.
            if os.fstat(copy).st_ino != connection.inode:
                return
            with _Borrowed(connection.family, fileno=copy) as line:
                line.shutdown(socket.SHUT_RDWR)
            self.cuts += 1
            until = self._now() + SUSPECTED_SECONDS
            self._suspected.append((until, connection.address))


def _unread_bytes(connection: _Connection) -> int:
    """Return how many bytes wait to be read; 0 if its file's number is another's now."""
    try:
        if os.fstat(connection.file).st_ino != connection.inode:
            return 0
        return int.from_bytes(ioctl(connection.file, FIONREAD, bytes(4)), sys.byteorder)
    except OSError:
        return 0
