"""`shared`: limits the number of sessions over HTTP of each owner."""

from collections import Counter
from typing import Final

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp.types import INTERNAL_ERROR, ErrorData, JSONRPCError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

MOST_SESSIONS: Final = 2_000
"""The most sessions over HTTP; each takes some 90 kB until half an hour after its last request."""
MOST_OF_OWNER: Final = 50
"""The most sessions of an owner."""


def shared(manager: StreamableHTTPSessionManager) -> ASGIApp:
    """Return the app of the sessions, which refuses an owner a session beyond MOST_OF_OWNER."""
    app = manager.asgi_app
    opening = Counter[str]()
    """The number of pending requests by owner that may open a session."""

    async def within_share(scope: Scope, receive: Receive, send: Send) -> None:
        headers, access = Headers(scope=scope), get_access_token()
        version = headers.get(MCP_PROTOCOL_VERSION_HEADER)
        opens = MCP_SESSION_ID_HEADER not in headers and (
            version is None or version in HANDSHAKE_PROTOCOL_VERSIONS
        )
        if access is None or not opens:
            await app(scope, receive, send)
            return
        owner = access.client_id
        # The SDK has no public way to learn whose sessions are open.
        owners = manager._session_owners.values()
        if opening[owner] + sum(one["client_id"] == owner for one in owners) >= MOST_OF_OWNER:
            await _refusal(owner)(scope, receive, send)
            return
        opening[owner] += 1
        try:
            await app(scope, receive, send)
        finally:
            opening[owner] -= 1
            if not opening[owner]:
                del opening[owner]

    return within_share


def _refusal(owner: str) -> Response:
    reason = (
        f"{owner} has {MOST_OF_OWNER} sessions open, the most of an owner: end one of them, or "
        "wait until half an hour after its last request."
    )
    error = JSONRPCError(
        jsonrpc="2.0", id=None, error=ErrorData(code=INTERNAL_ERROR, message=reason)
    )
    text = error.model_dump_json(by_alias=True, exclude_unset=True)
    return Response(text, 503, media_type="application/json")
