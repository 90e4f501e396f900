"""`arena invite …`: Invites, for the operator: make one, list them, withdraw one."""

from typing import Annotated

import typer

from arena.commands.database import with_store
from arena.commands.listing import say_shown
from arena.commands.options import SHOWN, AsJson, Limit
from arena.commands.owners.operator import actor
from arena.commands.terminal import members, say, say_json, say_table
from arena.moments import in_utc, iso_utc, utc_or_never

MOST_USES = 10_000

app = typer.Typer(
    no_args_is_help=True,
    help="Invites, for the operator: make one, list them, withdraw one.",
)


@app.command()
def new(
    uses: Annotated[
        int, typer.Option(min=1, max=MOST_USES, help="How many may sign up with it.")
    ] = 1,
    days: Annotated[
        float, typer.Option(min=0.01, max=3650, help="For how many days it is valid.")
    ] = 14,
    as_json: AsJson = False,
) -> None:
    """Make an invite and print its code, which is shown only once."""
    code = with_store(lambda store: store.owners.invite(uses, days, actor()), begins=True)
    if as_json:
        say_json({"code": code, "uses": uses, "days": days})
        return
    say(f"For {uses} owners, valid for {days:g} days, shown only once:", err=True)
    say(code)


@app.command("list")
def list_invites(
    limit: Limit = SHOWN,
    as_json: AsJson = False,
) -> None:
    """List the invites that can be used, without their codes, newest first."""
    invites, count = with_store(lambda store: store.owners.invites(limit))
    if as_json:
        lines = [
            {
                "invite": one.id,
                **members(one, "uses_left", "made_by"),
                "made": iso_utc(one.created_at),
                "expires": one.expires_at and iso_utc(one.expires_at),
            }
            for one in invites
        ]
        say_json(lines)
        return
    rows = (
        (one.id, one.uses_left, one.made_by, in_utc(one.created_at), utc_or_never(one.expires_at))
        for one in invites
    )
    say_table(("invite", "uses left", "made by", "made", "expires"), rows)
    say_shown(len(invites), count, "invites")


@app.command()
def withdraw(
    number: Annotated[int, typer.Argument(help="The invite's number in `arena invite list`.")],
) -> None:
    """End an invite: nobody signs up with it any more."""
    with_store(lambda store: store.owners.withdraw_invite(number, actor()))
    say(f"Invite {number} is withdrawn.", err=True)
