"""`arena sample-bots`: runs the sample bots for a referee that runs elsewhere."""

import asyncio
import os
import signal
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Annotated

import grpc
import typer

from arena.bot.address import Address
from arena.commands.database import existing_database
from arena.commands.errors import CommandError
from arena.commands.options import ADDRESS
from arena.commands.serving import table_option
from arena.commands.serving.children import SLOW_BOTS, children, house_tokens, start_sample_bots
from arena.commands.serving.health import status_of, why_silent
from arena.commands.serving.own_referee import client_environment, own_address
from arena.commands.terminal import say
from arena.local.loading import sample_names
from arena.logs import configure_logs
from arena.scheduling.ladder import TableType
from arena.server.app.store import open_store
from arena.settings import read_settings

LOOK_SECONDS = 1.0
"""The interval between checks whether a bot has ended, in seconds."""


def sample_bots(
    address: Annotated[str | None, ADDRESS] = None,
    table: Annotated[list[str] | None, typer.Option(help=table_option.HELP)] = None,
    bot: Annotated[
        list[str] | None,
        typer.Option(
            help="A sample bot to run, may be repeated. If nothing is said, all run but those that "
            f"think for long: {', '.join(sorted(SLOW_BOTS))}."
        ),
    ] = None,
) -> None:
    """Run the sample bots against a running referee until Ctrl-C; needs its database.

    Each is registered if necessary and gets a new token. Only those that play a game of the tables
    are started.
    """
    names = bot or ()
    if unknown := sorted({*names} - {*sample_names()}):
        raise CommandError(
            f"There is no sample bot {unknown[0]}: choose among {', '.join(sample_names())}."
        )
    settings = read_settings()
    configure_logs(settings)
    table_types = table_option.table_types(table or ())
    stopping = _stop_request()
    with ExitStack() as stack:
        url = stack.enter_context(existing_database(settings))
        tokens = asyncio.run(_tokens(url, table_types, names))
        if not tokens:
            raise CommandError("no sample bot plays a game of these tables.")
        running = stack.enter_context(children(settings.home / "logs"))
        own = {} if address else client_environment(settings)
        place = address or own_address(settings)
        referee = Address.parse(place, os.environ | own)
        start_sample_bots(running, place, tokens, own)
        typer.echo(
            f"Playing at {referee.target}: {', '.join(tokens)}. Ctrl-C stops them; "
            f"{settings.home / 'logs'} has what they print."
        )
        try:
            status_of(referee, ready=False)
        except grpc.RpcError as error:
            say(f"{why_silent(referee, error)} The bots go on trying.", err=True)
        left = len(tokens)
        while left and not stopping.wait(LOOK_SECONDS):
            for sentence in running.ended():
                left -= 1
                typer.echo(sentence, err=True)
        if not left:
            raise CommandError("all sample bots have ended.")


async def _tokens(
    url: str, table_types: Sequence[TableType], names: Sequence[str]
) -> dict[str, str]:
    async with open_store(url) as store:
        return await house_tokens(store, table_types, names)


def _stop_request() -> threading.Event:
    """Return an event that Ctrl-C or SIGTERM sets."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    return stop
