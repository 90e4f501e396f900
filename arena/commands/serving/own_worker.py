"""The worker of `arena up`: a check that this machine can run hosted bots, and a child process."""

import asyncio
from typing import Final

import typer

from arena.builds.hosted import HostingTerms
from arena.commands.serving.children import Children
from arena.commands.serving.own_referee import hosting_terms
from arena.processes import module_command
from arena.server.app.store import Store
from arena.settings import Settings
from arena.worker.limits import LEAVE_SECONDS
from arena.worker.sandbox import why_not_here

_CHILD: Final = "worker"
_NAME: Final = "own"
"""The worker's name at the referee."""
_START_SECONDS: Final = 90.0
"""The time that the worker may take to start on a busy machine, in seconds."""
_QUICK_SECONDS: Final = 1.0
"""The time after which a message says what Ctrl-C waits for, in seconds."""
_STOP_SECONDS: Final = LEAVE_SECONDS + 5.0
"""The time that the worker may take to stop, in seconds.

It plays the matches of its bots, and reports how they ended.
"""


def hosting_here(settings: Settings) -> HostingTerms | None:
    """Return the limits for uploads; print a message and return None without a working sandbox.

    Call it outside of an event loop: uvloop starts no program as another user.
    """
    terms = hosting_terms(settings)
    if terms is None or not settings.slots:
        return terms
    why_not = asyncio.run(why_not_here())
    if why_not is None:
        return terms
    typer.echo(f"{why_not.rstrip('.')}. So this arena takes no uploads.", err=True)
    return None


async def start_worker(
    running: Children, store: Store, slots: int, environment: dict[str, str]
) -> None:
    """Start the worker; the environment holds the addresses of the referee and the database."""
    token = await store.workers.add(_NAME, "arena up")
    await store.workers.expect(_START_SECONDS)
    running.start(
        _CHILD,
        module_command("arena", "work", "--slots", str(slots)),
        niceness=0,
        **environment | {"ARENA_WORKER_TOKEN": token},
    )


async def stop_worker(running: Children, stopping: asyncio.Event) -> None:
    """Let hosted bots play their matches to the end, until Ctrl-C is pressed again."""
    stopping.clear()
    waiting = {asyncio.create_task(running.left(_CHILD)), asyncio.create_task(stopping.wait())}
    first = asyncio.FIRST_COMPLETED
    over, _ = await asyncio.wait(waiting, timeout=_QUICK_SECONDS, return_when=first)
    if not over:
        typer.echo("Hosted bots play their matches to the end; Ctrl-C again stops at once.")
        await asyncio.wait(waiting, timeout=_STOP_SECONDS, return_when=first)
    for task in waiting:
        task.cancel()
