"""Results of conformance checks of a bot's program, as messages."""

import re
from datetime import datetime
from typing import Final

from arena.codec.malformed import MalformedError
from arena.codec.wire_numbers import enum_numbers
from arena.moments import milliseconds
from arena.records import CheckOrigin, CheckOutcome
from arena.v1 import registry_pb2 as pb

_MOST_MET: Final = 1_000
MOST_NAMED: Final = 50
"""The maximum number of scenarios that an outcome names.

A page of ListBots holds 1000 reports, and a client accepts 4 MB by default.
"""
_NAME: Final = re.compile(r"[a-z0-9' -]{1,40}")
_ORIGINS: Final = enum_numbers(CheckOrigin, pb.CheckOrigin.DESCRIPTOR)


def read_outcome(message: pb.CheckOutcome) -> CheckOutcome:
    """Return the outcome of a check. Raises MalformedError for an impossible outcome."""
    if message.edition < 1:
        raise MalformedError(f"`edition` is 1 or more, not {message.edition}")
    if not 0 <= message.met <= _MOST_MET:
        raise MalformedError(f"`met` is 0 to {_MOST_MET}, not {message.met}")
    if not message.met and not message.failed:
        raise MalformedError("at least one scenario was met or failed")
    names = [*message.failed, *message.skipped]
    if len(names) > MOST_NAMED or len(set(names)) < len(names):
        raise MalformedError(f"`failed` and `skipped` name at most {MOST_NAMED}, each once")
    for name in names:
        if not _NAME.fullmatch(name):
            raise MalformedError(
                f"{name[:50]!r} names no scenario: 1 to 40 lower-case letters, digits, spaces, "
                "hyphens and apostrophes"
            )
    return CheckOutcome(message.edition, message.met, tuple(message.failed), tuple(message.skipped))


def write_outcome(outcome: CheckOutcome, message: pb.CheckOutcome) -> None:
    """Write the outcome of a check into a message."""
    message.edition, message.met = outcome.edition, outcome.met
    message.failed.extend(outcome.failed)
    message.skipped.extend(outcome.skipped)


def write_check(
    outcome: CheckOutcome, origin: CheckOrigin, at: datetime, message: pb.ConformanceCheck
) -> None:
    """Write a recorded check into a message."""
    write_outcome(outcome, message.outcome)
    message.origin = _ORIGINS[origin]
    message.recorded_ms = milliseconds(at)
