"""`OwnerCalls`, the unary calls of a service for owners, with their limits and authentication.

If a dashboard makes the call, limits by address are those of the dashboard's visitor.
"""

import asyncio
from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import Any, Final, Protocol

import grpc
import grpc.aio

from arena.database.errors import UnknownOwnerError
from arena.records import Owner
from arena.server.limits.gate import Gate
from arena.server.limits.guarding import bearer_token, guarded, token_or_nothing
from arena.server.limits.refusals import Context
from arena.server.requests.errors import ProtocolError

MOST_AT_ONCE: Final = 4
"""The most calls of one service that are served at the same time.

The limit exists because results are recorded over the same database connections.
"""


class OwnerKeys(Protocol):
    """The owners by their keys."""

    async def owner(self, key: str) -> Owner:
        """Return the owner who has this key. Raises ProtocolError."""
        ...


class OwnerCalls:
    """The calls of one service."""

    def __init__(self, keys: OwnerKeys, gate: Gate, messages: ModuleType) -> None:
        """Make it; `messages` is the generated module with the requests and responses."""
        self._keys = keys
        self._gate = gate
        self._messages = messages
        self._turnstile = asyncio.Semaphore(MOST_AT_ONCE)

    def of_anybody(
        self, call: str, answer: Callable[[Any, Context], Awaitable[Any]]
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        """Return the handler of a call that needs no key; for None it sends an empty response."""
        response = getattr(self._messages, f"{call}Response")

        async def handle(request: Any, context: Context) -> Any:
            answered = await guarded(
                self._gate,
                call,
                context,
                lambda: answer(request, context),
                token_or_nothing(context),
                self._turnstile,
            )
            return response() if answered is None else answered

        return grpc.unary_unary_rpc_method_handler(
            handle,
            request_deserializer=getattr(self._messages, f"{call}Request").FromString,
            response_serializer=response.SerializeToString,
        )

    def of_viewer(
        self, call: str, answer: Callable[[Any, int | None], Awaitable[Any]]
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        """Return the handler of a call that shows more to some owners.

        `answer` gets the id of the owner whose key came with the call; None without a key.
        """

        async def seen(request: Any, context: Context) -> Any:
            viewer = (await self.owner(context)).id if token_or_nothing(context) else None
            return await answer(request, viewer)

        return self.of_anybody(call, seen)

    def of_owner(
        self, call: str, answer: Callable[[Any, Owner], Awaitable[Any]], *, changes: bool = False
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        """Return the handler of a call that needs an owner's key.

        A call that `changes` something counts toward the owner's limit of changes.
        """

        async def authenticated(request: Any, context: Context) -> Any:
            owner = await self.owner(context)
            if changes:
                self._gate.change(owner)
            return await answer(request, owner)

        return self.of_anybody(call, authenticated)

    def of_operator(
        self, call: str, answer: Callable[[Any, Owner], Awaitable[Any]], *, changes: bool = False
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        """Return the handler of a call that needs the key of an owner with the operator's role.

        A call that `changes` something counts toward that owner's limit of changes.
        """

        async def with_role(request: Any, owner: Owner) -> Any:
            if not owner.operator:
                raise ProtocolError(
                    grpc.StatusCode.PERMISSION_DENIED,
                    "only an operator may do that: `arena owner operator` on the arena's machine "
                    "gives the role to an owner",
                )
            if changes:
                self._gate.change(owner)
            try:
                return await answer(request, owner)
            except UnknownOwnerError as error:  # the owner named in the request
                raise ProtocolError(grpc.StatusCode.NOT_FOUND, str(error)) from error

        return self.of_owner(call, with_role)

    async def owner(self, context: Context) -> Owner:
        """Return the owner who makes a call. A wrong key counts against the caller.

        Raises ProtocolError.
        """
        key = bearer_token(context)
        async with self._gate.trying(key, self._gate.caller(context)):
            return await self._keys.owner(key)
