"""Counts the calls that wait for their peers: see `WaitingCalls`."""

from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import grpc.aio

from arena.server.limits.gate import Gate
from arena.server.limits.refusals import Context
from arena.server.requests.errors import malformed


class CountWaiting(grpc.aio.ServerInterceptor):
    """An interceptor that counts calls while they wait for their request, and after their answer.

    A call that is ended with a status is counted from then on: see `Refusals.end`. Calls with a
    stream of requests have limits of their own for the first.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._waiting = gate.connections.waiting

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        details: grpc.HandlerCallDetails,
    ) -> Any:
        """Return the handler of a call, with the counts around it."""
        handler = await continuation(details)
        if handler is None:
            return None
        waiting = self._waiting
        answer = (
            (handler.stream_unary or handler.stream_stream)
            if handler.request_streaming
            else self._once_asked(handler.unary_unary or handler.unary_stream)
        )

        async def call(requests: Any, context: Context) -> Any:
            try:
                return await answer(requests, context)
            finally:
                waiting.add(context.peer())

        # A single request is read as a stream of one: otherwise gRPC waits for it before `call`.
        maker: Callable[..., Any] = (
            grpc.stream_stream_rpc_method_handler
            if handler.response_streaming
            else grpc.stream_unary_rpc_method_handler
        )
        return maker(call, handler.request_deserializer, handler.response_serializer)

    def _once_asked(self, answer: Callable[[Any, Context], Awaitable[Any]]) -> Any:
        """Return a handler that reads the request of a call for `answer`."""

        async def call(_requests: Any, context: Context) -> Any:
            self._waiting.add(context.peer())
            request = await context.read()
            self._waiting.remove()
            if request is grpc.aio.EOF:
                error = malformed("the call brings no request")
                return await self._gate.refusals.end(context, error)
            return await answer(request, context)

        return call
