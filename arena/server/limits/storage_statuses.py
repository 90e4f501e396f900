"""`storage_errors_to_grpc`: converts errors of storage to the gRPC statuses that end calls."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import grpc
import structlog

from arena.database import errors
from arena.server.limits.limits import LimitError
from arena.server.requests.errors import ProtocolError

_STATUSES: Final = {
    errors.NameTakenError: grpc.StatusCode.ALREADY_EXISTS,
    errors.NameRefusedError: grpc.StatusCode.INVALID_ARGUMENT,
    errors.RequestRefusedError: grpc.StatusCode.INVALID_ARGUMENT,
    errors.CredentialRefusedError: grpc.StatusCode.UNAUTHENTICATED,
    errors.UnknownOwnerError: grpc.StatusCode.UNAUTHENTICATED,
    errors.NotAllowedError: grpc.StatusCode.PERMISSION_DENIED,
    errors.NotFoundError: grpc.StatusCode.NOT_FOUND,
    errors.WrongStateError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.LimitReachedError: grpc.StatusCode.RESOURCE_EXHAUSTED,
}
"""The first that fits applies, because some errors are subclasses of others."""

log = structlog.get_logger()


@asynccontextmanager
async def storage_errors_to_grpc() -> AsyncIterator[None]:
    """Convert storage's errors to statuses that name the caller's mistake, and no internals.

    Other errors are bugs and pass through.
    """
    try:
        yield
    except errors.DatabaseUnreachableError as error:
        log.error("database unreachable", why=str(error))
        raise ProtocolError(
            grpc.StatusCode.UNAVAILABLE, "the arena's database does not answer; try again later"
        ) from error
    except errors.RecordRefusedError as error:
        log.warning("values refused by the database", why=str(error))
        raise ProtocolError(
            grpc.StatusCode.INVALID_ARGUMENT, "the request holds values that cannot be stored"
        ) from error
    except errors.TooManyVersionsError as error:
        raise LimitError("versions", str(error), error.wait_seconds) from error
    except errors.TooManyUploadsError as error:
        raise LimitError("uploads", str(error), error.wait_seconds) from error
    except errors.StorageError as error:
        for kind, status in _STATUSES.items():
            if isinstance(error, kind):
                raise ProtocolError(status, str(error)) from error
        raise
