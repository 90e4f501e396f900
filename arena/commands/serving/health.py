"""`arena health`: asks whether a referee runs, or serves, for health checks of a supervisor."""

import asyncio
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.commands.options import ADDRESS, AsJson
from arena.commands.terminal import say_json
from arena.settings import read_settings

# Imported where they are needed, because `arena --help` needs none of them.
if TYPE_CHECKING:
    from arena.bot.address import Address

PATIENCE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class HealthAnswer:
    """A referee's answer to a health check."""

    address: str | None
    """The referee's address; None for one without an address of its own, which is not asked."""
    status: str | None
    """The status as gRPC's health protocol names it; None without an answer."""
    why: str
    """The reason why there is no answer."""

    @property
    def well(self) -> bool:
        """Whether no problem is known."""
        return self.address is None or self.status == "SERVING"


def health(
    address: Annotated[str | None, ADDRESS] = None,
    ready: Annotated[
        bool,
        typer.Option("--ready", help="Whether it can also record results: its database answers."),
    ] = False,
    every: Annotated[
        bool,
        typer.Option(
            "--all", help="Ask all referees on the database instead, the one that conducts first."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Ask a referee by gRPC's health protocol whether it runs; exit code 1 if it does not."""
    from arena.bot.address import Address
    from arena.commands.serving.own_referee import client_environment, own_address

    if every:
        asked = [None if one is None else Address.parse(one, os.environ) for one in _listed()]
    elif address:
        asked = [Address.parse(address, os.environ)]
    else:
        settings = read_settings()
        asked = [Address.parse(own_address(settings), os.environ | client_environment(settings))]
    answers = []
    for one in asked:
        answers.append(_answer(one, ready=ready))
        if not as_json:
            _tell(answers[-1])
    well = bool(answers) and all(one.well for one in answers)
    if as_json:
        say_json({"well": well, "referees": [asdict(one) for one in answers]})
    elif not answers:
        typer.echo("No referee runs on this database.", err=True)
    raise typer.Exit(0 if well else 1)


def _listed() -> list[str | None]:
    """Return the addresses of the referees on the database."""
    from arena.commands.database import existing_database
    from arena.server.failover.lease import addresses

    with existing_database(read_settings()) as url:
        return asyncio.run(addresses(url))


def _answer(referee: "Address | None", *, ready: bool) -> HealthAnswer:
    """Ask one referee; None stands for one without an address of its own."""
    import grpc

    if referee is None:
        return HealthAnswer(None, None, "it has no address of its own")
    try:
        return HealthAnswer(referee.target, status_of(referee, ready=ready), "")
    except grpc.RpcError as error:
        return HealthAnswer(referee.target, None, why_silent(referee, error))


def _tell(answer: HealthAnswer) -> None:
    if answer.address is None:
        typer.echo("a referee without an address of its own: not asked")
    else:
        said = answer.status or answer.why
        typer.echo(f"{answer.address}: {said}", err=answer.status is None)


def status_of(referee: "Address", *, ready: bool) -> str:
    """Return a referee's health status. Raises grpc.RpcError."""
    from grpc_health.v1 import health_pb2

    from arena.server.app.server import LIVENESS

    with referee.channel() as channel:
        check = channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )
        asked = health_pb2.HealthCheckRequest(service="" if ready else LIVENESS)
        answer = check(asked, timeout=PATIENCE_SECONDS)
    return health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)


def why_silent(referee: "Address", error: Any) -> str:
    """Return the reason why a referee gave no answer, in words."""
    import grpc

    why: str = error.code().name
    if error.code() is grpc.StatusCode.UNAVAILABLE:
        why += f". {referee.why_unreachable(error.details() or '')}"
    return why
