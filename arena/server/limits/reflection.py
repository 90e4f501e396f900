"""gRPC's server reflection, within the limits of reading calls.

The library's service answers without limit, and malformed bytes end it with a traceback in the log.
Here each question counts as a call of its address, and a stream is limited in questions, bytes and
time.
"""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

import grpc
import grpc.aio
from grpc_reflection.v1alpha import reflection, reflection_pb2

from arena.server.limits.gate import Gate
from arena.server.limits.guarding import ended_by_errors
from arena.server.limits.refusals import Context
from arena.server.requests.errors import ProtocolError, malformed
from arena.server.requests.parsing import parsed

MOST_QUESTIONS: Final = 200
"""The most questions on one stream; tools ask for each file and service once."""
MOST_QUESTION_BYTES: Final = 1_024
"""The most bytes of one question: a name, which is repeated in the answer."""
STREAM_SECONDS: Final = 60.0
"""How long a stream may last."""


class ReflectionService:
    """Serves grpc.reflection.v1alpha.ServerReflection."""

    def __init__(
        self, services: Iterable[str], gate: Gate, seconds: float = STREAM_SECONDS
    ) -> None:
        """`services` are the names of all services."""
        self._answering = reflection.aio.ReflectionServicer((*services, reflection.SERVICE_NAME))
        self._gate = gate
        self._seconds = seconds

    @property
    def handlers(self) -> "dict[str, grpc.RpcMethodHandler[Any, Any]]":
        """The call by name, for the server. Questions come as bytes."""
        return {"ServerReflectionInfo": grpc.stream_stream_rpc_method_handler(self._serve)}

    async def _serve(self, _requests: object, context: Context) -> None:
        async with ended_by_errors(self._gate, context, "ServerReflectionInfo"):
            with self._gate.calling(context) as peer, self._gate.reading_stream(peer):
                # As in `PlayService`: a write that is cancelled must not be the first.
                with suppress(grpc.aio.InternalError):
                    await context.send_initial_metadata(())
                try:
                    async with asyncio.timeout(self._seconds):
                        await self._converse(peer, context)
                except TimeoutError as error:
                    raise ProtocolError(
                        grpc.StatusCode.DEADLINE_EXCEEDED,
                        f"a stream lasts at most {self._seconds:g} s",
                    ) from error

    async def _converse(self, peer: str, context: Context) -> None:
        asked = 0
        while (data := await context.read()) is not grpc.aio.EOF:
            self._gate.call(peer)
            asked += 1
            if asked > MOST_QUESTIONS:
                raise ProtocolError(
                    grpc.StatusCode.RESOURCE_EXHAUSTED,
                    f"a stream has at most {MOST_QUESTIONS} questions: open another",
                )
            request = _parsed(data)
            # Any: the type stubs declare this generator as a coroutine.
            answers: Any = self._answering.ServerReflectionInfo(_only(request), context)
            async for answer in answers:
                await context.write(answer.SerializeToString())


async def _only(request: reflection_pb2.ServerReflectionRequest) -> Any:
    yield request


def _parsed(data: bytes) -> reflection_pb2.ServerReflectionRequest:
    if len(data) > MOST_QUESTION_BYTES:
        raise malformed(f"a question has at most {MOST_QUESTION_BYTES} bytes, not {len(data)}")
    return parsed(reflection_pb2.ServerReflectionRequest, data)
