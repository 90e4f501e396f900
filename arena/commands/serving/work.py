"""`arena work`: runs hosted bots."""

import asyncio
import os
from contextlib import ExitStack
from typing import Annotated
from urllib.parse import urlsplit

import structlog
import typer

from arena.addresses import on_loopback
from arena.bot.address import Address
from arena.commands.database import existing_database, url_of_role
from arena.commands.errors import CommandError
from arena.commands.options import ADDRESS
from arena.commands.serving.own_referee import own_address, own_socket
from arena.commands.serving.serve import stop_signal
from arena.database.roles import WORKER_ROLE
from arena.database.schema import require_answer
from arena.logs import configure_logs
from arena.settings import Settings, read_settings
from arena.worker.cgroups import enter_leaf
from arena.worker.kept_builds import KeptBuilds
from arena.worker.known_referees import KnownReferees
from arena.worker.referee import Shifts, UnknownTokenError, WorkerCallError
from arena.worker.sandbox import why_not_here
from arena.worker.users import why_shared
from arena.worker.worker import Workplace, queue_of, run_worker

log = structlog.get_logger()


def work(
    slots: Annotated[
        int | None, typer.Option(min=1, max=256, help="Bots that play at the same time.")
    ] = None,
    check_slots: Annotated[
        int | None, typer.Option(min=1, max=256, help="Uploads that are checked at the same time.")
    ] = None,
    address: Annotated[str | None, ADDRESS] = None,
    token: Annotated[
        str, typer.Option(envvar="ARENA_WORKER_TOKEN", help="What `arena worker add` printed.")
    ] = "",
) -> None:
    """Run hosted bots in the sandbox until Ctrl-C.

    On the referee's machine they play over its socket; if the worker has its own ARENA_HOME, set
    ARENA_SOCKET to the path of the socket. On another machine the worker relays the bots' messages.
    ARENA_DATABASE_URL is the database with the queue.
    """
    settings = read_settings()
    configure_logs(settings)
    if not token.strip():
        raise CommandError(
            "a worker needs a token: make one with `arena worker add NAME` on the arena's "
            "machine, and set ARENA_WORKER_TOKEN."
        )
    with ExitStack() as stack:
        # A worker on another machine has no right to migrate.
        url = settings.database_url or url_of_role(
            WORKER_ROLE, stack.enter_context(existing_database(settings)), settings
        )
        place = own_address(settings) if address is None else address
        # Not uvloop: it starts no program as another user.
        shared = slots or settings.slots, check_slots or settings.check_slots
        asyncio.run(_work(settings, url, place, token.strip(), *shared))


async def _work(
    settings: Settings, url: str, address: str, token: str, slots: int, check_slots: int
) -> None:
    why_not = await why_not_here()
    if why_not is not None:
        raise CommandError(why_not)
    # Check the database first, as the queue itself would wait for half a minute.
    await asyncio.to_thread(require_answer, url)
    local = on_loopback(urlsplit(address if "//" in address else f"//{address}").hostname or "")
    socket = own_socket(settings)
    assert socket is not None  # only Linux confines programs
    # On another machine than the referee's there is no socket: the worker relays the messages.
    beside = local or settings.socket is not None or socket.exists()
    builds = KeptBuilds(settings.home / "builds")
    referees = KnownReferees(Address.parse(address, os.environ))
    shifts = Shifts(referees, token, slots)
    await _try_token(shifts)
    place = Workplace(referees, shifts, builds, socket if beside else None)
    why_no_group = enter_leaf()
    held = f"rlimits and looks at /proc: {why_no_group}" if why_no_group else "a cgroup for each"
    typer.echo(f"Running hosted bots in {slots} slots, checks of uploads in {check_slots} more.")
    typer.echo("Ctrl-C stops them.")
    typer.echo(f"What programs use is limited by {held}.")
    why_shared_user = why_shared(settings.program_users)
    if why_shared_user:
        typer.echo(
            f"Programs share the quotas of one user ({why_shared_user}): let no other service, the "
            "referee above all, run as that user."
        )
    await run_worker(place, queue_of(url), slots, check_slots, stop_signal())


async def _try_token(shifts: Shifts) -> None:
    """Raise UnknownTokenError now instead of at the first work.

    A referee that does not answer now may do so by then.
    """
    try:
        await shifts.try_token()
    except UnknownTokenError:
        raise
    except WorkerCallError as error:
        log.warning("the token is tried with the first work", why=str(error))
