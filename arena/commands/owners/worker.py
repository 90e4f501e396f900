"""`arena worker …`: Machines that run hosted bots, for the operator: add, list, remove."""

from typing import Annotated

import typer

from arena.commands.database import with_store
from arena.commands.options import AsJson
from arena.commands.owners.operator import actor
from arena.commands.terminal import members, say, say_json, say_table
from arena.moments import in_utc, iso_utc, utc_or_never

app = typer.Typer(
    no_args_is_help=True,
    help="Machines that run hosted bots, for the operator: add, list, remove.",
)


@app.command()
def add(name: Annotated[str, typer.Argument(help="Any name; each machine has its own.")]) -> None:
    """Add a worker, or give it a new token, and print the token, which is shown only once."""
    token = with_store(lambda store: store.workers.add(name, actor()), begins=True)
    say("Its token, shown only once (start `arena work` with it as ARENA_WORKER_TOKEN):", err=True)
    say(token)


@app.command("list")
def list_workers(
    as_json: AsJson = False,
) -> None:
    """List the workers that may run hosted bots."""
    workers = with_store(lambda store: store.workers.seen())
    if as_json:
        lines = [
            {
                "worker": one.name,
                "added": iso_utc(one.created_at),
                "seen": one.seen_at and iso_utc(one.seen_at),
                **members(one, "slots", "shifts"),
            }
            for one in workers
        ]
        say_json(lines)
        return
    rows = (
        (one.name, in_utc(one.created_at), utc_or_never(one.seen_at), one.slots, one.shifts)
        for one in workers
    )
    say_table(("worker", "added", "last seen", "slots", "runs now"), rows)


@app.command()
def remove(
    name: Annotated[str, typer.Argument(help="The worker's name in `arena worker list`.")],
) -> None:
    """Take a worker's token away: it begins no further shift, and what it runs ends at once."""
    with_store(lambda store: store.workers.remove(name, actor()))
    say(f"The worker {name} is removed.", err=True)
