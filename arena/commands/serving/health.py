"""`arena health`: checks whether a referee serves, for the health checks of supervisors."""

from typing import Annotated

import typer

from arena.commands.errors import exit_with_message
from arena.settings import read_settings

PATIENCE_SECONDS = 5.0


def health(
    address: Annotated[
        str | None,
        typer.Option(
            envvar="ARENA_ADDRESS", help="HOST:PORT of the referee, or https://HOST:PORT."
        ),
    ] = None,
) -> None:
    """Check with gRPC's health protocol whether a referee serves; exit code 1 if it does not."""
    # Imported here, because `arena --help` needs none of them.
    import grpc
    from grpc_health.v1 import health_pb2

    from arena.bot.connection import Address

    with exit_with_message():
        settings = read_settings()
        referee = Address.parse(address or f"{settings.host}:{settings.port}")
    target = referee.target
    with referee.channel() as channel:
        try:
            check = channel.unary_unary(
                "/grpc.health.v1.Health/Check",
                request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
                response_deserializer=health_pb2.HealthCheckResponse.FromString,
            )
            answer = check(health_pb2.HealthCheckRequest(), timeout=PATIENCE_SECONDS)
        except grpc.RpcError as error:
            typer.echo(f"{target}: {error.code().name}", err=True)
            raise typer.Exit(1) from error
    status = health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)
    typer.echo(f"{target}: {status}")
    if answer.status != health_pb2.HealthCheckResponse.SERVING:
        raise typer.Exit(1)
