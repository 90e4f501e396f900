"""Refuses calls whose bytes are not the request's message, or hold text that cannot be stored.

gRPC would end the former with UNKNOWN and the text of an exception, and write a traceback to our
log, which anybody could fill that way. Calls that read their own bytes use `parsed` themselves.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from arena.server.requests.errors import ProtocolError, malformed
from arena.server.requests.parsing import require_text


class RefuseMalformed(grpc.aio.ServerInterceptor):
    """An interceptor that ends such calls with INVALID_ARGUMENT, in front of their service."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        details: grpc.HandlerCallDetails,
    ) -> Any:
        """Return the handler of a call, wrapped to parse the request's bytes first."""
        handler = await continuation(details)
        if handler is None or handler.request_deserializer is None:
            return handler
        # Streams of answers, Challenge and Health.Watch, are coroutines that write to the context.
        answer = handler.unary_unary or handler.unary_stream

        async def call(data: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
            try:
                request = _read(handler.request_deserializer, details.method, data)
            except ProtocolError as error:
                await context.abort(error.code, error.sentence)
            return await answer(request, context)

        if handler.unary_unary is None:
            return grpc.unary_stream_rpc_method_handler(
                call, response_serializer=handler.response_serializer
            )
        return grpc.unary_unary_rpc_method_handler(
            call, response_serializer=handler.response_serializer
        )


def _read(deserialize: Callable[[bytes], Any], method: str, data: bytes) -> Any:
    try:
        request = deserialize(data)
    except DecodeError:
        raise malformed(f"these bytes are not the request of {method}") from None
    require_text(request, data)
    return request
