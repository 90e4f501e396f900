"""`arena serve`: runs only the referee."""

import asyncio
import signal
from typing import Annotated

import typer

from arena.addresses import bare_host, host_port
from arena.commands.database import database
from arena.commands.serving import table_option
from arena.commands.serving.free_ports import require_free
from arena.commands.serving.own_referee import referee_settings, tls_files
from arena.commands.serving.pace_option import PaceOption, chosen_pace, pace_in_words
from arena.database.private_home import make_private_home
from arena.logs import configure_logs
from arena.scheduling.ladder import TableType
from arena.server.app.assembly import running_arena
from arena.server.app.event_loop import run
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
    settings = read_settings()
    table_types = table_option.table_types(table or ())
    host = settings.host if host is None else bare_host(host)
    delay = settings.spectator_delay if spectator_delay is None else spectator_delay
    chosen = {
        "port": settings.port if port is None else port,
        "pace": chosen_pace(pace, settings.pace),
        "spectator_delay": delay,
    }
    settings = settings.model_copy(update=chosen)
    tls_files(settings)  # raises before anything is started
    require_free(host, settings.port)
    configure_logs(settings)
    with database(settings) as url:
        run(_serve(settings, url, host, table_types))


async def _serve(settings: Settings, url: str, host: str, table_types: list[TableType]) -> None:
    stop = stop_signal()
    make_private_home(settings.home)
    async with running_arena(url, referee_settings(settings, table_types, host)) as arena:
        at, encrypted = host_port(host, arena.port), " It uses TLS." if settings.tls_cert else ""
        typer.echo(f"The referee listens on {at}.{encrypted} Ctrl-C stops it.")
        typer.echo(pace_in_words(settings.pace))
        await stop.wait()
        typer.echo("Stopping: running matches go on at another referee, or with the next start.")


def stop_signal() -> asyncio.Event:
    """Return an event that Ctrl-C or SIGTERM sets."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    return stop
