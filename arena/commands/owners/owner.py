"""`arena owner …`: Owners of bots, for the operator: list, ban, new keys, messages."""

from typing import Annotated

import typer

from arena.commands.database import with_store
from arena.commands.listing import say_more
from arena.commands.options import SHOWN, AsJson, Limit, Prefix
from arena.commands.owners.operator import actor
from arena.commands.terminal import say, say_json, say_table
from arena.moments import in_utc, iso_utc

app = typer.Typer(
    no_args_is_help=True, help="Owners of bots, for the operator: list, ban, new keys, messages."
)

NameArgument = Annotated[str, typer.Argument(help="The owner's name.")]


@app.command("list")
def list_owners(
    limit: Limit = SHOWN,
    search: Prefix = "",
    as_json: AsJson = False,
) -> None:
    """List owners by name."""
    found = with_store(lambda store: store.owners.owners(limit + 1, search))
    owners = found[:limit]
    if as_json:
        lines = [
            {
                "owner": one.name,
                "bots": one.bots,
                "since": iso_utc(one.created_at),
                "banned": one.banned_at is not None,
                "operator": one.operator_since is not None,
                "key": one.has_key,
            }
            for one in owners
        ]
        say_json(lines)
        return
    rows = []
    for one in owners:
        marks = ["banned"] * (one.banned_at is not None) + ["no key"] * (not one.has_key)
        marks += ["operator"] * (one.operator_since is not None)
        rows.append((one.name, one.bots, in_utc(one.created_at), ", ".join(marks)))
    say_table(("owner", "bots", "since", ""), rows)
    if len(found) > limit:
        say_more(limit, "owner")


@app.command()
def ban(
    name: NameArgument,
    undo: Annotated[bool, typer.Option("--undo", help="End the ban.")] = False,
) -> None:
    """Refuse an owner and all its bots; their open streams end at once. Results stay."""
    with_store(lambda store: store.owners.ban(name, actor(), banned=not undo))
    say(f"{name} is {'let in again' if undo else 'banned'}.", err=True)


@app.command()
def operator(
    name: NameArgument,
    undo: Annotated[bool, typer.Option("--undo", help="Take the role away.")] = False,
) -> None:
    """Let an owner act as an operator on the page "Operate", with its own key."""
    with_store(lambda store: store.owners.make_operator(name, actor(), operator=not undo))
    say(f"{name} is {'no operator any more' if undo else 'an operator'}.", err=True)


@app.command("reset-key")
def reset_key(name: NameArgument) -> None:
    """Print a new key for an owner; the old one becomes invalid."""
    key = with_store(lambda store: store.owners.reset_key(name, actor()))
    say(f"The key of {name}, shown only once (for `arena login`, or the page):", err=True)
    say(key)


@app.command()
def message(
    name: NameArgument,
    text: Annotated[str, typer.Argument(help="What it says, up to 2,000 characters.")],
) -> None:
    """Send an owner a message, shown on the page "My bots" and by `arena messages`."""
    with_store(lambda store: store.messages.send_as_operator(name, text, actor()))
    say(f"Sent to {name}.", err=True)
