"""`arena serve`: runs only the referee."""

import asyncio
import signal
from typing import Annotated

import typer

from arena.addresses import bare_host, host_port
from arena.commands.database import database
from arena.commands.errors import exit_with_message
from arena.commands.serving import table_option
from arena.commands.serving.free_ports import require_free
from arena.commands.serving.own_referee import (
    free_socket,
    hosting_terms,
    limits_of,
    public_addresses,
    sign_up_of,
    tls_files,
)
from arena.commands.serving.pace_option import PaceOption, chosen_pace, pace_in_words
from arena.database.private_home import make_private_home
from arena.logs import configure_logs
from arena.scheduling.ladder import TableType
from arena.server.app.assembly import running_arena
from arena.server.app.event_loop import run
from arena.server.app.referee_settings import RefereeSettings
from arena.server.app.tls import TlsFiles
from arena.server.play.terms import Terms
from arena.settings import Settings, read_settings


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port for bots; 0 takes a free one.")] = None,
    table: Annotated[list[str] | None, typer.Option(help=table_option.HELP)] = None,
    pace: PaceOption = None,
    spectator_delay: Annotated[
        float | None,
        typer.Option(min=0, max=3600, help="Seconds by which spectators see matches later."),
    ] = None,
) -> None:
    """Run the referee until Ctrl-C."""
    with exit_with_message():
        settings = read_settings()
        table_types = table_option.table_types(table or ())
        host = settings.host if host is None else bare_host(host)
        port = settings.port if port is None else port
        terms = Terms(house_pace=chosen_pace(pace, settings.pace))
        tls = tls_files(settings)
        delay = settings.spectator_delay if spectator_delay is None else spectator_delay
        require_free(host, port=port)
        configure_logs(settings)
        with database(settings) as url:
            run(_serve(settings, url, host, port, table_types, terms, tls, delay))


async def _serve(
    settings: Settings,
    url: str,
    host: str,
    port: int,
    table_types: list[TableType],
    terms: Terms,
    tls: TlsFiles | None,
    spectator_delay: float,
) -> None:
    stop = stop_signal()
    make_private_home(settings.home)
    async with running_arena(
        url,
        RefereeSettings(
            host=host,
            port=port,
            table_types=table_types,
            terms=terms,
            spool_directory=settings.home,
            metrics_address=settings.metrics_address,
            compiled=settings.compiled,
            read_beside=True,
            tls=tls,
            spectator_delay=spectator_delay,
            sign_up=sign_up_of(settings),
            limits=limits_of(settings),
            hosting=hosting_terms(settings),
            socket=free_socket(settings),
            dashboard_secret=settings.dashboard_secret,
            identity_provider=settings.identity_provider,
            spread_load=settings.spread_load,
            public_addresses=public_addresses(settings, host),
        ),
    ) as arena:
        encrypted = " It uses TLS." if tls else ""
        typer.echo(
            f"The referee listens on {host_port(host, arena.port)}.{encrypted} Ctrl-C stops it."
        )
        typer.echo(pace_in_words(terms.house_pace))
        await stop.wait()
        typer.echo("Stopping: running matches go on at another referee, or with the next start.")


def stop_signal() -> asyncio.Event:
    """Return an event that Ctrl-C or SIGTERM sets."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    return stop
