"""Hosts and ports as text: IPv6 addresses in brackets, and detection of this machine's names."""

from ipaddress import IPv6Address, ip_address
from typing import Final

DEFAULT_ADDRESS: Final = "127.0.0.1:50051"
"""The address of a referee on this machine."""


def bare_host(host: str) -> str:
    """Return a host without the brackets that an IPv6 address has before a port."""
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host


def host_port(host: str, port: int) -> str:
    """Return HOST:PORT, with an IPv6 address in brackets: `[::1]:50051`."""
    bare = bare_host(host)
    return f"[{bare}]:{port}" if ":" in bare else f"{bare}:{port}"


def on_loopback(host: str) -> bool:
    """Return whether a server on this host is reachable only from programs on this machine."""
    bare = bare_host(host).rstrip(".").lower()
    if bare == "localhost" or bare.endswith(".localhost"):
        return True
    try:
        address = ip_address(bare)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def network_of(address: str) -> str:
    """Return the key that identifies a visitor: an IPv4 address, or an IPv6 address's /64 network.

    Usually a single visitor has the whole /64 network. Other text is returned unchanged.
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    return str(found.ipv4_mapped or IPv6Address(int(found) >> 64 << 64))
