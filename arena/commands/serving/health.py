"""`arena health`: does a referee run, or serve? For health checks of whoever supervises it."""

import os
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
    ready: Annotated[
        bool,
        typer.Option("--ready", help="Whether it can also record results: its database answers."),
    ] = False,
) -> None:
    """Ask a referee by gRPC's health protocol whether it runs; exit code 1 if it does not."""
    # Imported here, because `arena --help` needs none of them.
    import grpc
    from grpc_health.v1 import health_pb2

    from arena.bot.address import Address
    from arena.commands.serving.own_referee import client_environment, own_address
    from arena.referee.server import LIVENESS

    with exit_with_message():
        if address:
            referee = Address.parse(address, os.environ)
        else:
            settings = read_settings()
            referee = Address.parse(own_address(settings), client_environment(settings))
    target = referee.target
    with referee.channel() as channel:
        try:
            check = channel.unary_unary(
                "/grpc.health.v1.Health/Check",
                request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
                response_deserializer=health_pb2.HealthCheckResponse.FromString,
            )
            asked = health_pb2.HealthCheckRequest(service="" if ready else LIVENESS)
            answer = check(asked, timeout=PATIENCE_SECONDS)
        except grpc.RpcError as error:
            why = error.code().name
            if error.code() is grpc.StatusCode.UNAVAILABLE:
                why += f". {referee.why_unreachable(error.details() or '')}"
            typer.echo(f"{target}: {why}", err=True)
            raise typer.Exit(1) from error
    status = health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)
    typer.echo(f"{target}: {status}")
    if answer.status != health_pb2.HealthCheckResponse.SERVING:
        raise typer.Exit(1)
