"""Reports the outcome of a registered bot's check to a referee."""

from collections.abc import Sequence
from typing import Any, Final

import grpc

from arena.bot.address import Address
from arena.codec.checks import write_outcome
from arena.codec.transcript import read_entrant
from arena.conformance.report import ScenarioOutcome
from arena.conformance.scenario import Scenario
from arena.errors import UserError
from arena.match.transcript import Entrant
from arena.records import EDITION, CheckOutcome
from arena.v1 import registry_pb2 as pb
from arena.v1.registry_pb2_grpc import RegistryServiceStub

_SECONDS: Final = 10.0


class ReportRefusedError(UserError):
    """The referee does not record the outcome, or cannot be reached; the message says why."""


def outcome_of(played: Sequence[ScenarioOutcome], skipped: Sequence[Scenario]) -> CheckOutcome:
    """Return the outcome of a check, in the form that the referee records."""
    return CheckOutcome(
        edition=EDITION,
        met=sum(one.met for one in played),
        failed=tuple(one.scenario.name for one in played if not one.met),
        skipped=tuple(scenario.name for scenario in skipped),
    )


def report_check(address: Address, token: str, outcome: CheckOutcome) -> Entrant:
    """Record an outcome with the referee, and return the version that has this token.

    Raises ReportRefusedError and AddressError.
    """
    request = pb.ReportCheckRequest()
    write_outcome(outcome, request.outcome)
    metadata = (("authorization", f"Bearer {token}"),)
    with address.channel() as channel:
        stub = RegistryServiceStub(channel)
        try:
            response = stub.ReportCheck(request, metadata=metadata, timeout=_SECONDS)
        except grpc.RpcError as error:
            raise ReportRefusedError(
                f"The outcome is not recorded. {_why(address, error)}"
            ) from error
    return read_entrant(response.entrant)


def _why(address: Address, error: Any) -> str:
    code, details = error.code(), error.details() or ""
    if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
        return address.why_unreachable(details)
    if code is grpc.StatusCode.UNIMPLEMENTED:
        return "The referee is of an earlier release and records no checks."
    return f"{details[:1].upper()}{details[1:]}".rstrip(".") + "."
