"""`arena audit`: what owners and operators changed."""

from typing import Annotated

import typer

from arena.commands.database import with_store
from arena.commands.options import AsJson
from arena.commands.terminal import json_text, members, say_json, say_table
from arena.moments import in_utc, iso_utc


def audit(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many lines.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List what owners and operators changed, newest first."""
    rows = with_store(lambda store: store.owners.audit(limit))
    if as_json:
        names = ("actor", "action", "subject", "details")
        say_json([{"at": iso_utc(row.at), **members(row, *names)} for row in rows])
        return
    say_table(
        ("at", "actor", "action", "subject", "details"),
        (
            (
                *(in_utc(row.at), row.actor, row.action, row.subject),
                json_text(row.details) if row.details else "",
            )
            for row in rows
        ),
    )
