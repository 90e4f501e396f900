"""`arena event similar`: programs of an event that resemble each other, for a person to judge."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from arena.commands.errors import CommandError, exit_with_message
from arena.commands.events.organising import AsJson, EventName
from arena.commands.terminal import Terminal, say, say_json

if TYPE_CHECKING:  # not at run time: an error in the arguments must not wait for SQLAlchemy
    from arena.server.app.store import Store
    from arena.server.events.similar import Source


def similar(
    name: EventName,
    top: Annotated[int, typer.Option(min=1, help="How many pairs, the most similar first.")] = 20,
    html: Annotated[
        Path | None, typer.Option(help="Write these pairs side by side to a page.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare the sources of the builds of an event's freeze by common passages.

    Passages of the first bot of the documentation do not count. Programs without sources are
    compared by their bytes alone. No verdict: look at the passages.
    """
    from arena.commands.database import with_store
    from arena.local.starters import first_bots
    from arena.server.events import similar as comparing

    async def use(store: "Store") -> "list[Source]":
        event, _ = await store.events.named(name)
        if event.frozen_at is None:
            raise CommandError(f"The builds of {event.name} are not fixed yet.")
        return [
            comparing.source(
                one.registered.entrant.bot,
                one.registered.entrant.owner,
                one.sha256,
                one.file_name,
                await store.finals.build_file(event.id, one.sha256),
            )
            for one in await store.finals.finalists(event)
        ]

    sources = with_store(use)
    pairs = comparing.similar(sources, first_bots())[:top]
    if html is not None:
        with exit_with_message():
            try:
                html.write_text(comparing.report(f"Similar programs of {name}", pairs), "utf-8")
            except OSError as error:
                raise CommandError(f"{html} cannot be written: {error.strerror}.") from error
    if as_json:
        say_json(
            [
                {
                    "bots": [pair.one.bot, pair.other.bot],
                    "owners": [pair.one.owner, pair.other.owner],
                    "shares": [round(pair.share, 4), round(pair.share_of_other, 4)],
                    "files": list(pair.files),
                    "identical": pair.identical,
                }
                for pair in pairs
            ]
        )
        return
    if not pairs:
        say(f"{len(sources)} builds compared: no two have a passage in common.")
        return
    table = Table("bot", "owner", "shared", "with", "owner", "shared", "files", "build")
    for pair in pairs:
        table.add_row(
            *(pair.one.bot, pair.one.owner, f"{pair.share:.1%}"),
            *(pair.other.bot, pair.other.owner, f"{pair.share_of_other:.1%}"),
            *(" – ".join(pair.files), "identical" if pair.identical else "another"),
        )
    Terminal().print_table(table)
    say(
        f"{len(sources)} builds compared: how much of each is in the other, without passages of "
        "the first bots. What it means is for a person to decide."
    )
