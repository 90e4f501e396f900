"""`storage_errors_to_grpc`: converts errors of storage to the gRPC statuses that end calls."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import grpc
import structlog

from arena.database.errors import (
    BannedError,
    BlockRefusedError,
    BuildNotKeptError,
    DatabaseUnreachableError,
    DetailsRefusedError,
    EventExistsError,
    EventRefusedError,
    EventStateError,
    FrozenError,
    IdentityRefusedError,
    InviteRefusedError,
    LogNotKeptError,
    MessageRefusedError,
    NameRefusedError,
    NameTakenError,
    NotCaptainError,
    NotOrganiserError,
    OperatorSparedError,
    PausedError,
    RecordRefusedError,
    RetiredError,
    StorageError,
    TokenUsedError,
    TooManyBotsError,
    TooManyMembersError,
    TooManyUploadsError,
    TooManyVersionsError,
    UnknownBlockError,
    UnknownBotError,
    UnknownEventError,
    UnknownMemberError,
    UnknownOwnerError,
    UnknownPersonError,
    UnknownShiftError,
    WebhookRefusedError,
)
from arena.server.limits.limits import LimitError
from arena.server.requests.errors import ProtocolError

_STATUSES: Final[tuple[tuple[type[StorageError], grpc.StatusCode], ...]] = (
    (NameTakenError, grpc.StatusCode.ALREADY_EXISTS),
    (EventExistsError, grpc.StatusCode.ALREADY_EXISTS),
    (NameRefusedError, grpc.StatusCode.INVALID_ARGUMENT),
    (DetailsRefusedError, grpc.StatusCode.INVALID_ARGUMENT),
    (RecordRefusedError, grpc.StatusCode.INVALID_ARGUMENT),
    (InviteRefusedError, grpc.StatusCode.UNAUTHENTICATED),
    (TokenUsedError, grpc.StatusCode.UNAUTHENTICATED),
    (UnknownOwnerError, grpc.StatusCode.UNAUTHENTICATED),
    (IdentityRefusedError, grpc.StatusCode.PERMISSION_DENIED),
    (UnknownBotError, grpc.StatusCode.NOT_FOUND),
    (UnknownEventError, grpc.StatusCode.NOT_FOUND),
    (EventStateError, grpc.StatusCode.FAILED_PRECONDITION),
    (EventRefusedError, grpc.StatusCode.INVALID_ARGUMENT),
    (WebhookRefusedError, grpc.StatusCode.INVALID_ARGUMENT),
    (BannedError, grpc.StatusCode.PERMISSION_DENIED),
    (FrozenError, grpc.StatusCode.PERMISSION_DENIED),
    (PausedError, grpc.StatusCode.PERMISSION_DENIED),
    (RetiredError, grpc.StatusCode.PERMISSION_DENIED),
    (TooManyBotsError, grpc.StatusCode.RESOURCE_EXHAUSTED),
    (TooManyMembersError, grpc.StatusCode.RESOURCE_EXHAUSTED),
    (NotCaptainError, grpc.StatusCode.PERMISSION_DENIED),
    (NotOrganiserError, grpc.StatusCode.PERMISSION_DENIED),
    (UnknownPersonError, grpc.StatusCode.NOT_FOUND),
    (OperatorSparedError, grpc.StatusCode.PERMISSION_DENIED),
    (UnknownBlockError, grpc.StatusCode.NOT_FOUND),
    (BlockRefusedError, grpc.StatusCode.FAILED_PRECONDITION),
    (UnknownMemberError, grpc.StatusCode.NOT_FOUND),
    (BuildNotKeptError, grpc.StatusCode.FAILED_PRECONDITION),
    (MessageRefusedError, grpc.StatusCode.INVALID_ARGUMENT),
    (LogNotKeptError, grpc.StatusCode.FAILED_PRECONDITION),
    (UnknownShiftError, grpc.StatusCode.NOT_FOUND),
)
"""The first that fits."""

log = structlog.get_logger()


@asynccontextmanager
async def storage_errors_to_grpc() -> AsyncIterator[None]:
    """Convert storage's errors to statuses that name the caller's mistake, and no internals.

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
    except TooManyUploadsError as error:
        raise LimitError("uploads", str(error), error.wait_seconds) from error
    except StorageError as error:
        for kind, status in _STATUSES:
            if isinstance(error, kind):
                raise ProtocolError(status, str(error)) from error
        raise
