"""Refuses calls with more metadata than a client that keeps to the referee's settings can send.

gRPC enforces MAX_METADATA_BYTES only once a connection's client has acknowledged the settings.
Before that a call may bring any number of lines, each for one byte, and gRPC converts every line to
a Python string whenever the metadata is read. So this reads it once, in front of everything else.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import grpc
import grpc.aio

from arena.server.limits.gate import Gate
from arena.server.limits.limits import MAX_METADATA_BYTES
from arena.server.limits.refusals import Context
from arena.server.requests.errors import ProtocolError

LINE_BYTES: Final = 32
"""The bytes that each line counts in addition to its text (RFC 9113, section 6.5.2)."""


class RefuseOversized(grpc.aio.ServerInterceptor):
    """An interceptor that ends oversized calls with RESOURCE_EXHAUSTED.

    It does so before their metadata is read again, and cuts their connections, unless a known bot
    plays there.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._refusing: grpc.RpcMethodHandler[Any, Any] = grpc.stream_stream_rpc_method_handler(
            self._refuse
        )

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        details: grpc.HandlerCallDetails,
    ) -> Any:
        """Return the handler of a call."""
        if _bytes_at_least(details.invocation_metadata) > MAX_METADATA_BYTES:
            return self._refusing
        return await continuation(details)

    async def _refuse(self, _requests: object, context: Context) -> None:
        error = ProtocolError(
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            f"a call's metadata is at most {MAX_METADATA_BYTES} bytes",
        )
        self._gate.refusals.note("call refused", error)
        self._gate.connections.cut(context.peer())
        await self._gate.refusals.end(context, error)


def _bytes_at_least(metadata: Sequence[tuple[str, str | bytes]]) -> int:
    """Return the counted bytes of the metadata, of at most as many lines as exceed the limit."""
    most = MAX_METADATA_BYTES // LINE_BYTES + 1
    return sum(len(key) + len(value) + LINE_BYTES for key, value in metadata[:most])
