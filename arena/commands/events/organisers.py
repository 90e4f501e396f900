"""`arena event organiser …`: who organises events, for the operator."""

from typing import TYPE_CHECKING, Annotated

import typer

from arena.commands.database import with_store
from arena.commands.events.organising import EventName
from arena.commands.options import AsJson
from arena.commands.owners.operator import actor
from arena.commands.terminal import say, say_json

if TYPE_CHECKING:  # not at run time: an error in the arguments must not wait for SQLAlchemy
    from arena.server.app.store import Store

app = typer.Typer(no_args_is_help=True, help="Who organises events, for the operator.")
_Owner = Annotated[str, typer.Argument(help="The owner's name.")]


@app.command()
def add(name: EventName, owner: _Owner) -> None:
    """Let an owner organise an event from any machine: all but `similar` and `organiser`.

    Everybody who acts for the owner does so, too. They see the real names of the roster.
    """

    async def use(store: "Store") -> None:
        event, _ = await store.events.named(name)
        await store.organisers.add(event, owner, actor())

    with_store(use)
    say(f"{owner} organises {name}.")


@app.command()
def remove(name: EventName, owner: _Owner) -> None:
    """Let an owner organise an event no more."""

    async def use(store: "Store") -> None:
        event, _ = await store.events.named(name)
        await store.organisers.remove(event, owner, actor())

    with_store(use)
    say(f"{owner} does not organise {name} any more.")


@app.command()
def allow(
    owner: _Owner,
    undo: Annotated[bool, typer.Option("--undo", help="Allow it no more.")] = False,
) -> None:
    """Let an owner make events, which the owner then organises."""
    with_store(lambda store: store.organisers.allow(owner, actor(), allowed=not undo))
    say(f"{owner} may {'not ' if undo else ''}make events{' any more' if undo else ''}.")


@app.command("list")
def list_organisers(
    name: Annotated[
        str, typer.Argument(help="An event; without one, who may make events is listed.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """List the organisers of an event, or the owners who may make events."""

    async def use(store: "Store") -> list[str]:
        if not name:
            return await store.organisers.makers()
        event, _ = await store.events.named(name)
        return await store.organisers.of(event)

    found = with_store(use)
    if as_json:
        say_json(found)
    elif found:
        say("\n".join(found))
    else:
        say("Only the operator, on the arena's own machine.")
