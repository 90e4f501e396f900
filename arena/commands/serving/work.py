"""`arena work`: runs hosted bots."""

import asyncio
import os
from contextlib import ExitStack
from typing import Annotated

import typer

from arena.bot.address import Address
from arena.commands.database import database
from arena.commands.errors import CommandError, exit_with_message
from arena.commands.serving.own_referee import own_address, own_socket
from arena.commands.serving.serve import stop_signal
from arena.logs import configure_logs
from arena.settings import Settings, read_settings
from arena.worker.kept_builds import KeptBuilds
from arena.worker.referee import Shifts
from arena.worker.sandbox import why_not_here
from arena.worker.worker import Workplace, queue_of, run_worker


def work(
    slots: Annotated[
        int | None, typer.Option(min=1, max=256, help="Bots that play at the same time.")
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(
            envvar="ARENA_ADDRESS", help="HOST:PORT of the referee, or https://HOST:PORT."
        ),
    ] = None,
    token: Annotated[
        str, typer.Option(envvar="ARENA_WORKER_TOKEN", help="What `arena worker add` printed.")
    ] = "",
) -> None:
    """Run hosted bots in the sandbox until Ctrl-C, beside the referee, whose socket they use.

    With an ARENA_HOME of its own, ARENA_DATABASE_URL says where the queue is, and ARENA_SOCKET
    where the referee listens.
    """
    with exit_with_message():
        settings = read_settings()
        configure_logs(settings)
        if not token.strip():
            raise CommandError(
                "a worker needs a token: make one with `arena worker add NAME` on the arena's "
                "machine, and set ARENA_WORKER_TOKEN."
            )
        with ExitStack() as stack:
            # A worker on another machine has no right to migrate.
            url = settings.database_url or stack.enter_context(database(settings))
            place = own_address(settings) if address is None else address
            # Not uvloop: it starts no program as another user.
            asyncio.run(_work(settings, url, place, token.strip(), slots or settings.slots))


async def _work(settings: Settings, url: str, address: str, token: str, slots: int) -> None:
    why_not = await why_not_here()
    if why_not is not None:
        raise CommandError(why_not)
    socket = own_socket(settings)
    assert socket is not None  # only Linux confines programs
    builds = KeptBuilds(settings.home / "builds")
    referee = Address.parse(address, os.environ)
    place = Workplace(referee, Shifts(referee, token), builds, socket)
    typer.echo(f"Running hosted bots in {slots} slots. Ctrl-C stops them.")
    await run_worker(place, queue_of(url), slots, stop_signal())
