"""`arena dashboard`: runs the dashboard without a referee."""

import os
import signal
import sys
from importlib.util import find_spec
from typing import Annotated

import typer

from arena.commands.database import database
from arena.commands.errors import exit_with_message
from arena.commands.serving.free_ports import require_free
from arena.commands.serving.own_referee import (
    client_environment,
    own_address,
    public_addresses,
)
from arena.logs import configure_logs
from arena.processes import spawn, stop
from arena.settings import read_settings


def require_streamlit() -> None:
    """Raise ModuleNotFoundError, now rather than in the child, unless Streamlit is installed."""
    if find_spec("streamlit") is None:
        raise ModuleNotFoundError("No module named 'streamlit'", name="streamlit")


def dashboard_arguments(host: str, port: int) -> list[str]:
    """Python's arguments for the dashboard."""
    return [
        *("-m", "arena_dashboard"),
        *("--server.address", host, "--server.port", str(port)),
        *("--server.headless", "true", "--browser.gatherUsageStats", "false"),
        *("--server.fileWatcherType", "none"),
    ]


def dashboard(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port of the pages.")] = None,
) -> None:
    """Show ratings, matches and replays in a browser until Ctrl-C."""
    with exit_with_message():
        require_streamlit()
        settings = read_settings()
        configure_logs(settings)
        host = settings.host if host is None else host
        port = settings.dashboard_port if port is None else port
        public_addresses(settings, settings.host)  # refused here: the pages would show any text
        arguments = dashboard_arguments(host, port)
        require_free(host, port=port)
        with database(settings) as url:
            # The referee whose running matches it shows.
            address = os.environ.get("ARENA_ADDRESS") or own_address(settings)
            environment = client_environment(settings) | {"ARENA_ADDRESS": address}
            child = spawn(
                [sys.executable, *arguments], env=environment | {"ARENA_DATABASE_URL": url}
            )
            typer.echo(f"The dashboard is at http://{host}:{port}. Ctrl-C stops it.")
            # SIGTERM acts like Ctrl-C, so that the database is stopped cleanly.
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            try:
                code = child.wait()
            except KeyboardInterrupt:
                code = 0
            finally:
                stop(child)
    raise typer.Exit(code)
