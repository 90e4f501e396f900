"""`arena team …`: Let others work on your bots, each with a key of their own."""

from typing import Annotated

import typer

from arena.addresses import DEFAULT_ADDRESS
from arena.commands.options import AddressOption, AsJson
from arena.commands.owners.logins import client_of, login_at
from arena.commands.terminal import say, say_json, say_table
from arena.moments import in_utc, iso_utc

app = typer.Typer(
    no_args_is_help=True, help="Let others work on your bots, each with a key of their own."
)
_Name = Annotated[str, typer.Argument(help="The member's name; your team and the operator see it.")]


@app.command()
def add(name: _Name, address: AddressOption = DEFAULT_ADDRESS, as_json: AsJson = False) -> None:
    """Add a member to your team and print the member's key, which is shown only once.

    With it (`arena login`) the member submits and looks after the team's bots; the audit names the
    member. Only you, with the key of `arena signup`, add and remove members.
    """
    key = client_of(address).add_member(login_at(address).key, name)
    if as_json:
        say_json({"member": name, "key": key})
        return
    say(f"The key of {name}, shown only once; `arena login` takes it:", err=True)
    say(key)


@app.command("list")
def list_members(address: AddressOption = DEFAULT_ADDRESS, as_json: AsJson = False) -> None:
    """List the members of your team, beside its captain."""
    found = client_of(address).members(login_at(address).key)
    if as_json:
        say_json([{"member": name, "added": iso_utc(added)} for name, added in found])
        return
    if not found:
        say("Your team has no members but its captain: `arena team add NAME`.")
        return
    say_table(("member", "added"), ((name, in_utc(added)) for name, added in found))


@app.command()
def remove(name: _Name, address: AddressOption = DEFAULT_ADDRESS) -> None:
    """Remove a member: the member's key is not valid any more. Members may remove themselves."""
    client_of(address).remove_member(login_at(address).key, name)
    say(f"{name} is not in your team any more.")
