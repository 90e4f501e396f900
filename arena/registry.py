"""`StoredRegistry`: tokens and bots for the gRPC services, with errors as statuses."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hmac import compare_digest

import grpc
import structlog

from arena.match.transcript import Entrant
from arena.records import CheckOrigin, CheckOutcome, Registered
from arena.referee.errors import ProtocolError
from arena.referee.limits import LimitError
from arena.storage.errors import (
    DatabaseUnreachableError,
    NameRefusedError,
    RecordRefusedError,
    RetiredError,
    TooManyVersionsError,
    VersionExistsError,
)
from arena.storage.store import Store

log = structlog.get_logger()


class StoredRegistry:
    """Tokens and bots. The Authenticator and the Registry of arena.referee."""

    def __init__(
        self,
        store: Store,
        registration_key: str,
        signing_key: bytes,
        versions_per_day: int,
    ) -> None:
        self._store = store
        self._versions_per_day = versions_per_day
        self.signing_key = signing_key
        self._registration_key = registration_key

    async def authenticate(self, token: str) -> Registered:
        async with _as_statuses():
            registered = await self._store.authenticate(token)
        if registered is None:
            raise ProtocolError(
                grpc.StatusCode.UNAUTHENTICATED,
                "no bot has this token: see `arena bot register` and `arena bot rotate-token`",
            )
        return registered

    async def registrant(self, token: str) -> Registered | None:
        if compare_digest(token.encode(), self._registration_key.encode()):
            return None
        return await self.authenticate(token)

    async def register(
        self, registrant: Registered | None, bot: str, owner: str, version: str
    ) -> tuple[Entrant, str]:
        if registrant is not None:
            known = registrant.entrant
            if known.bot.lower() != bot.lower() or owner not in ("", known.owner):
                raise ProtocolError(
                    grpc.StatusCode.PERMISSION_DENIED,
                    f"this token registers new versions of {known.bot} only; "
                    "a new bot needs the arena's registration key",
                )
            owner = known.owner
        else:
            await self._require_new(bot, owner)
        async with _as_statuses():
            registered, new_token = await self._store.register(
                bot, owner, version, most_a_day=self._versions_per_day
            )
        return registered.entrant, new_token

    async def record_check(self, registered: Registered, outcome: CheckOutcome) -> None:
        async with _as_statuses():
            await self._store.checks.record(registered.version_id, CheckOrigin.AUTHOR, outcome)

    async def _require_new(self, bot: str, owner: str) -> None:
        """The registration key is for new bots and owners: refuse existing ones."""
        async with _as_statuses():
            bot_known, owner_known = await self._store.known(bot, owner)
        if bot_known:
            raise ProtocolError(
                grpc.StatusCode.PERMISSION_DENIED,
                f"the bot {bot} exists: register a new version of it with a token of its own",
            )
        if owner_known:
            raise ProtocolError(
                grpc.StatusCode.PERMISSION_DENIED,
                f"the owner {owner} already has bots: the arena's operator registers further ones",
            )


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
    except VersionExistsError as error:
        raise ProtocolError(grpc.StatusCode.ALREADY_EXISTS, str(error)) from error
    except (NameRefusedError, RecordRefusedError) as error:
        raise ProtocolError(grpc.StatusCode.INVALID_ARGUMENT, str(error)) from error
    except RetiredError as error:
        raise ProtocolError(grpc.StatusCode.PERMISSION_DENIED, str(error)) from error
