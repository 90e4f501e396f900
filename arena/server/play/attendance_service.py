"""`AttendanceService`: reports to a bot's operator whether it is connected, and lets it leave."""

from typing import Any, Final

import grpc

from arena.server.limits.gate import Authenticate, Gate
from arena.server.limits.guarding import bearer_token, ended_by_errors
from arena.server.limits.refusals import Context
from arena.server.play.attendances import Attendances
from arena.v1 import attendance_pb2 as pb
from arena.waiting import wait_at_most

LOOK_SECONDS: Final = 0.5
"""The interval at which the service checks whether matches wait for a bot that lost its stream."""


class AttendanceService:
    """The implementation of the Attend call."""

    def __init__(self, authenticate: Authenticate, attendances: Attendances, gate: Gate) -> None:
        self._authenticate = authenticate
        self._attendances = attendances
        self._gate = gate
        attend: grpc.RpcMethodHandler[pb.AttendRequest, pb.AttendResponse] = (
            grpc.unary_stream_rpc_method_handler(
                self._attend,
                pb.AttendRequest.FromString,
                pb.AttendResponse.SerializeToString,
            )
        )
        self.handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {"Attend": attend}

    async def _attend(self, request: pb.AttendRequest, context: Context) -> None:
        async with ended_by_errors(self._gate, context, "Attend"):
            token = bearer_token(context)
            with self._gate.calling(context) as peer:
                await self._gate.admit(self._authenticate, token, peer)
                # A worker attends each of its shifts over a connection of its own.
                self._gate.connections.known(context.peer(), 1)
                try:
                    await self._tell(request, token, context)
                finally:
                    self._gate.connections.known(context.peer(), -1)

    async def _tell(self, request: pb.AttendRequest, token: str, context: Context) -> None:
        told: pb.AttendResponse | None = None
        with self._attendances.watched(token, drain=request.drain) as (attendance, news):
            while True:
                news.clear()
                now = pb.AttendResponse(streams=attendance.streams, leave=attendance.leave)
                if now != told:
                    told = now
                    await context.write(now)
                elif request.drain and attendance.over:
                    return
                elif attendance.streams or not request.drain:
                    await news.wait()
                else:
                    await wait_at_most(news, LOOK_SECONDS)
