"""`guarded`: the limits around a unary call, and its errors as statuses."""

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import grpc
import structlog

from arena.referee.errors import ProtocolError
from arena.referee.gate import Gate
from arena.referee.refusals import Context

_NOTED: Final = (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAUTHENTICATED)
"""What the operator may want to know of: guests that try too much."""

log = structlog.get_logger()

ResponseT = TypeVar("ResponseT")


async def guarded(
    gate: Gate,
    call: str,
    context: Context,
    answer: Callable[[], Awaitable[ResponseT]],
    token: str = "",
) -> ResponseT:
    """The answer to a call, if it is within the limits. Our errors end it with their status;
    unexpected exceptions are logged and not sent."""
    try:
        gate.call(context.peer(), token)
        return await answer()
    except ProtocolError as error:
        ending = error
        if error.code in _NOTED:
            gate.refusals.note("call refused", error)
    except Exception:
        log.exception("call failed", call=call)
        ending = ProtocolError(grpc.StatusCode.INTERNAL, "the arena made a mistake")
    await gate.refusals.end(context, ending)
    raise ending  # the call has ended already; this tells the type checker
