"""`guarded`, the limits around a unary call; also converts the errors of calls to statuses."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from typing import Final, TypeVar

import grpc
import grpc.aio
import structlog

from arena.server.limits.gate import Gate
from arena.server.limits.refusals import Context
from arena.server.limits.storage_statuses import storage_errors_to_grpc
from arena.server.requests.errors import ProtocolError, internal_error

_NOTED: Final = (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAUTHENTICATED)
"""The statuses that are logged for the operator: callers that try too often or with bad tokens."""

log = structlog.get_logger()

ResponseT = TypeVar("ResponseT")


async def guarded(
    gate: Gate,
    call: str,
    context: Context,
    answer: Callable[[], Awaitable[ResponseT]],
    token: str = "",
    turnstile: asyncio.Semaphore | None = None,
) -> ResponseT:
    """Return the answer to a call, if it is within the limits.

    The limits are those of a known `token`, else those of the caller's address. A `turnstile`
    limits how many calls are answered at a time. A ProtocolError ends the call with its status;
    unexpected exceptions are logged and not sent.
    """
    try:
        with gate.calling(context) as peer:
            gate.call(peer, token)
            async with turnstile or nullcontext(), storage_errors_to_grpc():
                return await answer()
    except ProtocolError as error:
        ending = error
        if error.code in _NOTED:
            gate.refusals.note("call refused", error)
    except Exception:
        log.exception("call failed", call=call)
        ending = internal_error()
    await gate.refusals.end(context, ending)
    raise ending  # the call has ended already; this tells the type checker


@asynccontextmanager
async def ended_by_errors(gate: Gate, context: Context, call: str) -> AsyncIterator[None]:
    """Serve a stream in the block; an error ends it with a status.

    A ProtocolError is noted and sent; unexpected exceptions are logged and not sent.
    """
    try:
        yield
        return
    except ProtocolError as error:
        gate.refusals.note("call refused", error)
        ending = error
    except grpc.aio.InternalError:
        return  # the peer is gone; grpc is about to cancel the call
    except Exception:
        log.exception("call failed", call=call)
        ending = internal_error()
    await gate.refusals.end(context, ending)


def token_or_nothing(context: Context) -> str:
    """Return the token or key in a call's metadata, or "" if there is none."""
    try:
        return bearer_token(context)
    except ProtocolError:
        return ""


def bearer_token(context: Context) -> str:
    """Return the token in a call's metadata. Raises ProtocolError if there is none."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization" and isinstance(value, str):
            scheme, _, token = value.partition(" ")
            if scheme == "Bearer" and token.strip():
                return token.strip()
    raise ProtocolError(
        grpc.StatusCode.UNAUTHENTICATED,
        "no token was sent: send the bot's token, or the owner's key, in the call's metadata, "
        '"authorization": "Bearer <token>"',
    )
