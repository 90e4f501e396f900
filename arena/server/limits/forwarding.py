"""The caller that a dashboard or a proxy forwards: limits count for it, not for the forwarder.

All visitors of the pages reach a referee from the dashboard's address, and all bots behind a proxy
from the proxy's; they would share the limits of one address. A dashboard or proxy that knows the
secret of ARENA_DASHBOARD_SECRET sends it and the caller's address in two lines of the call's
metadata; a dashboard that leaves out the address calls for itself. An address without the secret is
ignored.
"""

import hmac
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Final

import grpc

from arena.server.requests.errors import ProtocolError, malformed

# An owner's client also imports this module, and has no dependencies of the server installed.
if TYPE_CHECKING:
    from arena.server.limits.refusals import Context

SECRET: Final = "arena-dashboard-secret"  # noqa: S105  a name in metadata
ADDRESS: Final = "arena-visitor"
DASHBOARD: Final = "dashboard"
"""The peer of a dashboard that calls for all of its visitors, not for one."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller that a call counts for."""

    peer: str
    """Its name, in the format of gRPC's peers."""
    by_dashboard: bool = False
    """Whether a dashboard or proxy with the secret makes the call."""


def on_behalf_of(address: str, secret: str | None) -> tuple[tuple[str, str], ...]:
    """Return the metadata by which a call counts for a visitor's address; none without a secret."""
    return () if secret is None else ((SECRET, secret), (ADDRESS, address))


def caller_of(context: "Context", secret: str | None) -> Caller:
    """Return the peer of a call, or the visitor for whom it is made, or DASHBOARD.

    `secret` is the referee's; without one, a visitor named by the call is ignored. Raises
    ProtocolError UNAUTHENTICATED for a wrong secret, INVALID_ARGUMENT for an invalid address.
    """
    said = {key: value for key, value in context.invocation_metadata() or () if key in _LINES}
    given = said.get(SECRET)
    if secret is None or given is None:
        return Caller(context.peer())
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(), secret.encode()):
        raise ProtocolError(
            grpc.StatusCode.UNAUTHENTICATED,
            "wrong ARENA_DASHBOARD_SECRET: set the same value at dashboard and referee",
        )
    visitor = said.get(ADDRESS)
    return Caller(DASHBOARD if visitor is None else _peer(visitor), by_dashboard=True)


_LINES: Final = (SECRET, ADDRESS)


def _peer(address: str | bytes) -> str:
    try:
        found = ip_address(str(address).partition("%")[0])
    except ValueError:
        raise malformed(f"{ADDRESS} must be the visitor's IP address") from None
    return f"ipv6:[{found}]:0" if isinstance(found, IPv6Address) else f"ipv4:{found}:0"
