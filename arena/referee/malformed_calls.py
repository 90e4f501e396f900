"""Answers unary calls whose bytes are not the request's message.

The library would end them with UNKNOWN, the text of an exception and a traceback in our log, which
anybody could fill so.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import grpc.aio
from google.protobuf.message import DecodeError


class RefuseMalformed(grpc.aio.ServerInterceptor):
    """Ends such calls with INVALID_ARGUMENT, before they reach their service."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        details: grpc.HandlerCallDetails,
    ) -> Any:
        """The handler of a call, in front of which its bytes are read."""
        handler = await continuation(details)
        if handler is None or handler.request_deserializer is None:
            return handler
        # Streams of answers, Challenge and Health.Watch, are coroutines that write to the context.
        answer = handler.unary_unary or handler.unary_stream

        async def call(data: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
            try:
                request = handler.request_deserializer(data)
            except DecodeError:
                await context.abort(
                    grpc.StatusCode.INVALID_ARGUMENT,
                    f"these bytes are not the request of {details.method}",
                )
            return await answer(request, context)

        if handler.unary_unary is None:
            return grpc.unary_stream_rpc_method_handler(
                call, response_serializer=handler.response_serializer
            )
        return grpc.unary_unary_rpc_method_handler(
            call, response_serializer=handler.response_serializer
        )
