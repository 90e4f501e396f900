"""`arena audit`: what owners and operators changed."""

from typing import Annotated

import typer
from rich.table import Table

from arena.commands.database import with_store
from arena.commands.options import AsJson
from arena.commands.terminal import Terminal, json_text, say_json
from arena.moments import in_utc, iso_utc


def audit(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many lines.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List what owners and operators changed, newest first."""
    rows = with_store(lambda store: store.owners.audit(limit))
    if as_json:
        lines = [
            {
                "at": iso_utc(row.at),
                "actor": row.actor,
                "action": row.action,
                "subject": row.subject,
                "details": row.details,
            }
            for row in rows
        ]
        say_json(lines)
        return
    table = Table("at", "actor", "action", "subject", "details")
    for row in rows:
        details = json_text(row.details) if row.details else ""
        table.add_row(in_utc(row.at), row.actor, row.action, row.subject, details)
    Terminal().print_table(table)
