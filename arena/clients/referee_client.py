"""`RefereeClient`: calls to one referee on behalf of a visitor, with failures as sentences."""

from collections.abc import Mapping
from copy import copy
from typing import Any, Final, Self

import grpc

from arena.bot.address import Address, AddressError
from arena.errors import UserError
from arena.server.limits import forwarding

ANSWER_SECONDS: Final = 10.0
"""The deadline of a call, in seconds.

It is long because a referee serves clients in turn when many call at once.
"""


class OwnerCallError(UserError):
    """A refusal of the referee, or a failure to reach it; the message gives the reason."""

    def __init__(self, sentence: str, *, stranger: bool = False, missing: bool = False) -> None:
        super().__init__(sentence)
        self.missing = missing
        """Whether nothing has that name, or not any more."""
        self.stranger = stranger
        """Whether the key, or the invite, is unknown."""


class RefereeClient:
    """A client of one referee, which threads may share."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._visitor: tuple[tuple[str, str], ...] = ()

    @classmethod
    def at(cls, address: str, environment: Mapping[str, str]) -> Self:
        """Return a client of the referee at an address. Raises AddressError."""
        return cls(Address.parse(address, environment))

    def for_visitor(self, address: str, secret: str | None) -> Self:
        """Return this client on behalf of a dashboard's visitor, whose own limits then apply.

        `secret` is the referee's ARENA_DASHBOARD_SECRET; without it, limits count all visitors as
        the dashboard.
        """
        if secret is None:
            return self
        other = copy(self)
        other._visitor = forwarding.on_behalf_of(address, secret)
        return other

    def _ask(
        self, call: Any, request: Any, key: str | None = None, seconds: float = ANSWER_SECONDS
    ) -> Any:
        if key is not None and not (key.isascii() and key.isprintable() and key):
            raise OwnerCallError("This is no key: an owner's key begins with arena_owner_.")
        bearing = () if key is None else (("authorization", f"Bearer {key}"),)
        metadata = bearing + self._visitor
        try:
            return call(request, timeout=seconds, metadata=metadata)
        except grpc.RpcError as error:
            raise self._refused(error) from error

    def _refused(self, error: Any) -> OwnerCallError:
        code, details = error.code(), error.details() or ""
        if code is grpc.StatusCode.UNAVAILABLE and "database" not in details:
            return OwnerCallError(self._address.why_unreachable(details))
        if code is grpc.StatusCode.DEADLINE_EXCEEDED:
            return OwnerCallError("The referee did not answer in time. It may be busy: try again.")
        if code is grpc.StatusCode.UNIMPLEMENTED:
            return OwnerCallError("The referee is of a release without owners.")
        sentence = details or code.name
        if not sentence.endswith("."):  # a whole sentence may begin with a name
            sentence = f"{sentence[:1].upper()}{sentence[1:]}."
        return OwnerCallError(
            sentence,
            stranger=code is grpc.StatusCode.UNAUTHENTICATED,
            missing=code is grpc.StatusCode.NOT_FOUND,
        )


__all__ = ["AddressError", "OwnerCallError", "RefereeClient"]
