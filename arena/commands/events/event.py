"""`arena event …`: Courses and contests: entries, a freeze, a final that anybody can recompute.

`list`, `show`, `enter`, `leave`, `ladder`, `matches` and `transcript` ask the referee, from any
machine. `verify` needs no arena. The organiser's ask a referee, too, or work on the arena's own
machine; `organiser`, `webhook` and `similar` only there.
"""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.table import Table

from arena.commands.events import entering, organisers, organising, participants, roster, viewing
from arena.commands.events.archives import archive, verify
from arena.commands.events.grades import grades, rubric
from arena.commands.events.organising import AsJson, EventName
from arena.commands.events.progress import progress
from arena.commands.events.similar import similar
from arena.commands.owners.operator import actor
from arena.commands.terminal import Terminal, say, say_json

if TYPE_CHECKING:  # not at run time: an error in the arguments must not wait for SQLAlchemy
    from arena.server.app.store import Store

T = TypeVar("T")

app = typer.Typer(
    no_args_is_help=True,
    help="Courses and contests: entries, a freeze, a final that anybody can recompute.",
)
app.command("list")(entering.list_events)
app.command("organised")(entering.organised)
app.command("show")(entering.show)
app.command("enter")(entering.enter)
app.command("leave")(entering.leave)
app.command("create")(organising.create)
app.command("move")(organising.move)
app.command("cancel")(organising.cancel)
app.command("withdraw")(organising.withdraw)
app.command("entries")(participants.entries)
app.command("log")(participants.log)
app.command("message")(participants.message)
app.command("ladder")(viewing.ladder)
app.command("standings")(viewing.standings)
app.command("matches")(viewing.matches)
app.command("transcript")(viewing.transcript)
app.command("progress")(progress)
app.command("roster")(roster.roster)
app.command("people")(participants.people)
app.add_typer(roster.app, name="person")
app.add_typer(organisers.app, name="organiser")
app.command("rubric")(rubric)
app.command("grades")(grades)
app.command("similar")(similar)
app.command("archive")(archive)
app.command("verify")(verify)


@app.command()
def example() -> None:
    """Print an event.toml to begin with."""
    from arena.server.events.event_file import EXAMPLE

    typer.echo(EXAMPLE, nl=False)


@app.command()
def webhook(
    name: EventName,
    url: Annotated[str, typer.Argument(help="Where notices are posted: https://….")],
    remove: Annotated[bool, typer.Option("--remove", help="Post nothing there any more.")] = False,
) -> None:
    """Post an event's notices to an address; prints the secret that signs them, once.

    Notices: entries open, one day left, builds fixed, the final begins, results, cancelled. They
    are signed as Standard Webhooks; Discord and Slack get the form that they take.
    """

    async def use(store: "Store") -> str:
        event, _ = await store.events.named(name)
        if remove:
            await store.webhooks.remove(event.id, event.name, url, actor())
            return ""
        return await store.webhooks.add(event.id, event.name, url, actor())

    secret = _with_store(use)
    if secret:
        say("The secret that signs the notices, shown only once:", err=True)
        say(secret)
    else:
        say("Nothing is posted there any more.")


@app.command()
def webhooks(name: EventName, as_json: AsJson = False) -> None:
    """List an event's webhooks, with what was delivered and why the last try failed."""

    async def use(store: "Store") -> list[Any]:
        event, _ = await store.events.named(name)
        return await store.webhooks.of_event(event.id)

    members = ("url", "delivered", "waiting", "failure")
    found = [{name: getattr(row, name) for name in members} for row in _with_store(use)]
    if as_json:
        say_json(found)
        return
    table = Table("webhook", "delivered", "waiting", "last failure")
    for one in found:
        table.add_row(*map(str, one.values()))
    Terminal().print_table(table)


def _with_store(use: "Callable[[Store], Awaitable[T]]", *, begins: bool = False) -> T:
    from arena.commands.database import with_store

    return with_store(use, begins=begins)
