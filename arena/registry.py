"""`StoredRegistry`: tokens, bots and owners for the gRPC services, with errors as statuses."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import grpc
import structlog

from arena.match.transcript import Entrant
from arena.records import (
    Allowance,
    CheckOrigin,
    CheckOutcome,
    OwnedVersion,
    Owner,
    RecordedChallenge,
    Registered,
    SignUp,
)
from arena.referee.errors import ProtocolError
from arena.referee.limits import LimitError, Limits
from arena.storage.errors import (
    BannedError,
    DatabaseUnreachableError,
    DetailsRefusedError,
    FrozenError,
    InviteRefusedError,
    NameRefusedError,
    NameTakenError,
    RecordRefusedError,
    RetiredError,
    StorageError,
    TooManyBotsError,
    TooManyVersionsError,
    UnknownBotError,
)
from arena.storage.names import KEY_PREFIX, folded
from arena.storage.store import Store

_STATUSES: Final[tuple[tuple[type[StorageError], grpc.StatusCode], ...]] = (
    (NameTakenError, grpc.StatusCode.ALREADY_EXISTS),
    (NameRefusedError, grpc.StatusCode.INVALID_ARGUMENT),
    (DetailsRefusedError, grpc.StatusCode.INVALID_ARGUMENT),
    (RecordRefusedError, grpc.StatusCode.INVALID_ARGUMENT),
    (InviteRefusedError, grpc.StatusCode.UNAUTHENTICATED),
    (UnknownBotError, grpc.StatusCode.NOT_FOUND),
    (BannedError, grpc.StatusCode.PERMISSION_DENIED),
    (FrozenError, grpc.StatusCode.PERMISSION_DENIED),
    (RetiredError, grpc.StatusCode.PERMISSION_DENIED),
    (TooManyBotsError, grpc.StatusCode.RESOURCE_EXHAUSTED),
)
"""The first that fits."""

log = structlog.get_logger()


class StoredRegistry:
    """Tokens, bots and owners. The Authenticator, Registry, OwnerRegistry and ChallengeRecords of
    arena.referee."""

    def __init__(
        self, store: Store, signing_key: bytes, sign_up_by: SignUp, limits: Limits
    ) -> None:
        self._store = store
        self.signing_key = signing_key
        self.sign_up_by = sign_up_by
        self.allowance = Allowance(
            limits.bots_per_owner, limits.versions_per_day, limits.owner_versions_per_day
        )

    # Bots

    async def authenticate(self, token: str) -> Registered:
        async with _as_statuses():
            registered = await self._store.authenticate(token)
        if registered is None:
            raise ProtocolError(
                grpc.StatusCode.UNAUTHENTICATED,
                "this is an owner's key: a bot plays with the token that `arena bot new` prints"
                if token.startswith(KEY_PREFIX)
                else "no bot has this token: see `arena bot new` and `arena bot rotate`",
            )
        return registered

    async def registrant(self, token: str) -> Registered | Owner:
        return await (
            self.owner(token) if token.startswith(KEY_PREFIX) else self.authenticate(token)
        )

    async def register(
        self, registrant: Registered | Owner, bot: str, owner: str, version: str
    ) -> tuple[Entrant, str]:
        if isinstance(registrant, Registered):
            known = registrant.entrant
            if folded(known.bot) != folded(bot) or owner not in ("", known.owner):
                raise ProtocolError(
                    grpc.StatusCode.PERMISSION_DENIED,
                    f"this token registers new versions of {known.bot} only; a new bot needs its "
                    "owner's key",
                )
            async with _as_statuses():
                registrant = await self._store.owners.named(known.owner)
        elif owner and folded(owner) != folded(registrant.name):
            raise ProtocolError(
                grpc.StatusCode.PERMISSION_DENIED,
                f"this key is {registrant.name}'s, and registers no bots of {owner}",
            )
        async with _as_statuses():
            registered, new_token = await self._store.owners.register(
                registrant, bot, version, self.allowance
            )
        return registered.entrant, new_token

    async def record_check(self, registered: Registered, outcome: CheckOutcome) -> None:
        async with _as_statuses():
            await self._store.checks.record(registered.version_id, CheckOrigin.AUTHOR, outcome)

    async def recorded_challenge(self, challenge_id: str) -> RecordedChallenge | None:
        async with _as_statuses():
            return await self._store.challenge(challenge_id)

    # Owners

    async def sign_up(self, name: str, invite: str) -> tuple[Owner, str]:
        if self.sign_up_by is SignUp.CLOSED:
            raise ProtocolError(
                grpc.StatusCode.PERMISSION_DENIED,
                "nobody can sign up here: ask the operator to register your bot",
            )
        by_invite = self.sign_up_by is SignUp.INVITE
        async with _as_statuses():
            return await self._store.owners.sign_up(name, invite if by_invite else None)

    async def owner(self, key: str) -> Owner:
        async with _as_statuses():
            owner = await self._store.owners.by_key(key)
        if owner is None:
            raise ProtocolError(
                grpc.StatusCode.UNAUTHENTICATED,
                "no owner has this key: sign up, or ask the operator for a new one"
                if key.startswith(KEY_PREFIX)
                else "this is not an owner's key: those begin with " + KEY_PREFIX,
            )
        return owner

    async def own_bots(self, owner: Owner, bot: str) -> list[OwnedVersion]:
        async with _as_statuses():
            return await self._store.owners.bots(owner, bot or None)

    async def describe(self, owner: Owner, bot: str, said: dict[str, str]) -> None:
        async with _as_statuses():
            await self._store.owners.describe(owner, bot, said)

    async def rotate(self, owner: Owner, bot: str, version: str) -> tuple[str, str]:
        async with _as_statuses():
            return await self._store.owners.rotate(owner, bot, version or None)

    async def retire(self, owner: Owner, bot: str, version: str) -> None:
        async with _as_statuses():
            await self._store.owners.retire(owner, bot, version or None)


@asynccontextmanager
async def _as_statuses() -> AsyncIterator[None]:
    """Converts storage's errors to statuses that name the caller's mistake, and no internals.

    Other errors are bugs and pass through.
    """
    try:
        yield
    except DatabaseUnreachableError as error:
        log.error("database unreachable", why=str(error))
        raise ProtocolError(
            grpc.StatusCode.UNAVAILABLE, "the arena's database does not answer; try again later"
        ) from error
    except TooManyVersionsError as error:
        raise LimitError("versions", str(error), error.wait_seconds) from error
    except StorageError as error:
        for kind, status in _STATUSES:
            if isinstance(error, kind):
                raise ProtocolError(status, str(error)) from error
        raise
