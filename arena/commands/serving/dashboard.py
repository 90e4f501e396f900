"""`arena dashboard`: runs the dashboard without a referee."""

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from time import monotonic
from typing import Annotated, Final

import typer

from arena.addresses import bare_host, host_port
from arena.commands.database import database, url_of_role
from arena.commands.serving.free_ports import require_free
from arena.commands.serving.own_referee import client_environment, own_address, public_addresses
from arena.database.roles import READER_ROLE
from arena.logs import configure_logs
from arena.processes import module_command, own_environment, spawn, stop
from arena.settings import read_settings

START_SECONDS: Final = 90.0
"""The time to wait for the pages, in seconds.

Importing their modules takes long on a busy machine.
"""
WAITING: Final = "Waiting for the dashboard's first answer."
_ANSWER_SECONDS: Final = 5.0
_LOOK_SECONDS: Final = 0.1


def require_streamlit() -> None:
    """Raise ModuleNotFoundError, now rather than in the child, unless Streamlit is installed."""
    if find_spec("streamlit") is None:
        raise ModuleNotFoundError("No module named 'streamlit'", name="streamlit")


def dashboard_command(host: str, port: int) -> list[str]:
    """Return the command line that starts the dashboard."""
    return module_command("arena_dashboard", "--host", host, "--port", str(port))


async def where_it_answers(
    host: str, port: int, goes_on: Callable[[], bool], seconds: float = START_SECONDS
) -> str | None:
    """Wait until the pages answer a GET, and return their address.

    None if they do not answer within `seconds`, or before `goes_on` returns false.
    """
    until, at = monotonic() + seconds, host_port(host, port)
    while monotonic() < until and goes_on():
        with suppress(OSError):
            async with asyncio.timeout(_ANSWER_SECONDS):
                reader, writer = await asyncio.open_connection(bare_host(host), port)
                try:
                    writer.write(f"GET /_stcore/health HTTP/1.0\r\nHost: {at}\r\n\r\n".encode())
                    if await reader.readline():
                        return f"http://{at}"
                finally:
                    writer.close()
        await asyncio.sleep(_LOOK_SECONDS)
    return None


def no_answer(host: str, port: int) -> str:
    """Return a sentence that the pages did not answer in time."""
    return f"Nothing answers at http://{host_port(host, port)} after {START_SECONDS:.0f} s."


def dashboard(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port of the pages; 0 takes a free one.")] = None,
) -> None:
    """Show ratings, matches and replays in a browser until Ctrl-C."""
    require_streamlit()
    settings = read_settings()
    configure_logs(settings)
    host = settings.host if host is None else bare_host(host)
    port = settings.dashboard_port if port is None else port
    public_addresses(settings, settings.host)  # raises if invalid: the pages would show any text
    port = require_free(host, port)
    with database(settings) as url:
        # The referee whose running matches the pages show.
        address = os.environ.get("ARENA_ADDRESS") or own_address(settings)
        environment = client_environment(settings) | {
            "ARENA_ADDRESS": address,
            "ARENA_DATABASE_URL": url_of_role(READER_ROLE, url, settings),
        }
        child = spawn(dashboard_command(host, port), env=own_environment(environment))
        typer.echo(WAITING)
        # SIGTERM acts like Ctrl-C, so that the database is stopped cleanly.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            at = asyncio.run(where_it_answers(host, port, lambda: child.poll() is None))
            if at is not None:
                typer.echo(f"The dashboard is at {at}. Ctrl-C stops it.")
            elif child.poll() is None:
                typer.echo(no_answer(host, port), err=True)
            code = child.wait()
        except KeyboardInterrupt:
            code = 0
        finally:
            stop(child)
    raise typer.Exit(code)
