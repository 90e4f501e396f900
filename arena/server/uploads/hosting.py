"""`require_hosting`: returns the terms of hosting, or fails in an arena that hosts no bots."""

import grpc

from arena.builds.hosted import HostingTerms
from arena.server.requests.errors import ProtocolError


def require_hosting(terms: HostingTerms | None) -> HostingTerms:
    """Return the terms. Raises ProtocolError if there are none."""
    if terms is None:
        raise ProtocolError(
            grpc.StatusCode.FAILED_PRECONDITION,
            "this arena hosts no bots: register yours, and run it yourself",
        )
    return terms
