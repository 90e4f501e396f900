"""`relayed`, a socket through which one bot plays at a referee elsewhere, or at several referees.

A confined program has no network. If the referee's own socket is not on this machine, or there are
several referees, the worker listens on a socket for each shift and forwards the messages of the bot
and the referee unread. Each stream goes to the first referee that can be reached. Only this bot's
stream is forwarded: no other call, no other token.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import grpc
import grpc.aio

from arena.server.limits.limits import MAX_METADATA_BYTES
from arena.v1 import referee_pb2
from arena.worker.known_referees import KnownReferees, NoRefereeError
from arena.worker.own_process import scratch_folder

MOST_STREAMS: Final = 500
"""The most streams of one bot in a shift, including refused ones; then the socket is closed."""
_OPTIONS: Final = (
    ("grpc.max_receive_message_length", 1024 * 1024),
    ("grpc.max_concurrent_streams", 16),
    ("grpc.http2.max_ping_strikes", 2),
    # The same as the referee's: gRPC reads every line of metadata several times.
    ("grpc.max_metadata_size", MAX_METADATA_BYTES),
    ("grpc.absolute_max_metadata_size", MAX_METADATA_BYTES),
)
_SERVICE: Final = referee_pb2.DESCRIPTOR.services_by_name["RefereeService"].full_name


@asynccontextmanager
async def relayed(referees: KnownReferees, token: str) -> AsyncIterator[Path]:
    """Yield the path of the socket, which exists until the block ends."""
    with scratch_folder() as folder:
        socket = folder / "referee.sock"
        server = grpc.aio.server(options=_OPTIONS)
        relay = _Relay(referees, token, server)
        handler: Any = grpc.stream_stream_rpc_method_handler(relay.play)
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(_SERVICE, {"Play": handler}),)
        )
        server.add_insecure_port(f"unix:{socket}")
        # The program may run as another user; access to the socket's folder limits who can connect.
        os.chmod(socket, 0o666)  # noqa: PTH101, S103  it takes no time; see above
        await server.start()
        try:
            yield socket
        finally:
            await server.stop(None)


class _Relay:
    def __init__(self, referees: KnownReferees, token: str, server: grpc.aio.Server) -> None:
        self._referees = referees
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._server = server
        self._streams = 0

    async def play(self, _requests: object, context: Any) -> None:
        """Forward one stream."""
        self._streams += 1
        if self._streams > MOST_STREAMS:
            await self._server.stop(None)
            return
        if dict(context.invocation_metadata() or ()).get("authorization") != self._metadata[0][1]:
            await context.abort(
                grpc.StatusCode.UNAUTHENTICATED, "a hosted bot plays with the token of its shift"
            )
        try:
            async with self._referees.reached() as channel:
                code, details = await self._pass_on(context, channel)
        except NoRefereeError as error:
            code, details = grpc.StatusCode.UNAVAILABLE, str(error)
        if code is not grpc.StatusCode.OK:
            await context.abort(code, details)

    async def _pass_on(
        self, context: Any, channel: grpc.aio.Channel
    ) -> tuple[grpc.StatusCode, str]:
        """Forward messages until the stream ends; return its status."""
        call: Any = channel.stream_stream(f"/{_SERVICE}/Play")(metadata=self._metadata)
        up = asyncio.create_task(_up(context, call))
        # Ignore its error when the call ends while the bot sends; the call has the reason.
        up.add_done_callback(lambda task: task.cancelled() or task.exception())
        try:
            while (message := await call.read()) is not grpc.aio.EOF:
                await context.write(message)
            return await call.code(), await call.details() or ""
        except grpc.aio.AioRpcError as error:
            return error.code(), error.details() or ""
        finally:
            up.cancel()
            call.cancel()


async def _up(context: Any, call: Any) -> None:
    while (message := await context.read()) is not grpc.aio.EOF:
        await call.write(message)
    await call.done_writing()
