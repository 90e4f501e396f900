"""Names of the referee's callers: by address, or by process over a Unix socket."""

import socket
import sys
from ipaddress import ip_address
from typing import Final
from urllib.parse import unquote

from arena.addresses import network_of

PROCESS: Final = "process "
"""The beginning of the address of a process on this machine."""
_INT_BYTES = 4


def address_of(peer: str) -> str:
    """Return the address of a peer as gRPC names it, without its port; see `network_of`."""
    kind, _, rest = unquote(peer).partition(":")
    host = rest.rpartition(":")[0].strip("[]")
    return network_of(host) if kind == "ipv6" else host.partition("%")[0] or kind


def tcp_peer(line: socket.socket) -> str:
    """Return the other end as gRPC names it. Raises OSError for a socket that is not connected."""
    host, port = line.getpeername()[:2]
    if line.family == socket.AF_INET:
        return f"ipv4:{host}:{port}"
    mapped = ip_address(host.partition("%")[0]).ipv4_mapped  # type: ignore[union-attr]
    return f"ipv4:{mapped}:{port}" if mapped else f"ipv6:%5B{host}%5D:{port}"


def process_of(line: socket.socket) -> str:
    """Return the process at the other end of a Unix socket.

    The processes of all other containers count as one, because their numbers are hidden from us.
    Raises OSError for a socket that is not connected.
    """
    line.getpeername()
    first = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _INT_BYTES)
    number = int.from_bytes(first, sys.byteorder)
    return f"{PROCESS}{number}" if number else "another container"
