"""`arena event …`: Courses and contests: entries, a freeze, a final that anybody can recompute.

`list`, `show`, `enter`, `leave`, `ladder`, `matches` and `transcript` ask the referee, from any
machine. `verify` needs no arena. The organiser's commands ask a referee, too, or work on the
arena's own machine; `organiser` and `similar` work only there.
"""

from dataclasses import asdict
from typing import Annotated

import typer

from arena.commands.events import entering, organisers, organising, participants, roster, viewing
from arena.commands.events.archives import archive, verify
from arena.commands.events.grades import grades, rubric
from arena.commands.events.organising import EventName, OrganiserAddress, organiser_at
from arena.commands.events.progress import progress
from arena.commands.events.similar import similar
from arena.commands.options import AsJson
from arena.commands.terminal import say, say_json, say_table

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
    address: OrganiserAddress = "",
) -> None:
    """Post an event's notices to an address; prints the secret that signs them, once.

    Notices: entries open, one day left, builds fixed, the final begins, results, cancelled. They
    are signed as Standard Webhooks; Discord and Slack get the form that they take. From another
    machine than the arena's the address must be on the public internet.
    """
    client = organiser_at(address)
    if remove:
        client.remove_webhook(name, url)
        say("Nothing is posted there any more.")
        return
    secret = client.add_webhook(name, url)
    say("The secret that signs the notices, shown only once:", err=True)
    say(secret)


@app.command()
def webhooks(name: EventName, address: OrganiserAddress = "", as_json: AsJson = False) -> None:
    """List an event's webhooks, with what was delivered and why the last try failed.

    From another machine than the arena's those that organisers have added.
    """
    found = list(map(asdict, organiser_at(address).webhooks(name)))
    if as_json:
        say_json(found)
        return
    say_table(("webhook", "delivered", "waiting", "last failure"), (one.values() for one in found))
